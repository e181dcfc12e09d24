#!/bin/sh
# Builds dist/croupier_VERSION_all.deb for Debian 13 and Raspberry Pi OS of the same age.
#
#   sh packaging/deb.sh PYTHON          a Python that has pip; needs dpkg-deb
#
# The files of the wheel go to /usr/lib/croupier, with the system's own Python libraries beside them.
set -eu

python=${1:?"usage: sh packaging/deb.sh PYTHON"}
cd "$(dirname "$0")/.."
command -v dpkg-deb >/dev/null || { echo "make deb needs dpkg-deb: it runs on Debian and its relatives" >&2; exit 2; }

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
root=$work/root
mkdir -p dist "$root/usr/lib/croupier" "$root/usr/bin" "$root/etc/croupier" "$root/DEBIAN" \
  "$root/usr/lib/systemd/system" "$root/usr/lib/udev/rules.d" "$root/usr/lib/sysusers.d" "$root/usr/share/doc/croupier"

"$python" -m pip wheel --quiet --disable-pip-version-check --no-deps --wheel-dir "$work" .
wheel=$(echo "$work"/croupier-*.whl)
"$python" -m zipfile -e "$wheel" "$root/usr/lib/croupier"
version=$(basename "$wheel" | cut -d- -f2)

cp packaging/debian/croupier.sh "$root/usr/bin/croupier"
cp packaging/systemd/*.service "$root/usr/lib/systemd/system/"
cp packaging/debian/60-croupier.rules "$root/usr/lib/udev/rules.d/"
cp packaging/debian/croupier.sysusers "$root/usr/lib/sysusers.d/croupier.conf"
# As it comes: a phone says who plays, and by which rules.
"$python" -m device config example | sed 's/^language = "sv"/language = "en"/; s/^\(players\|preset\) =/# &/' \
  >"$root/etc/croupier/croupier.toml"
cp README.md CHANGELOG.md docs/appliance.md docs/playing.md "$root/usr/share/doc/croupier/"
cp LICENSE "$root/usr/share/doc/croupier/copyright"
echo /etc/croupier/croupier.toml >"$root/DEBIAN/conffiles"
for script in postinst prerm postrm; do install -m 755 "packaging/debian/$script" "$root/DEBIAN/$script"; done

find "$root" -type d -exec chmod 755 {} +
find "$root" -type f ! -path "$root/DEBIAN/*" -exec chmod 644 {} +
chmod 755 "$root/usr/bin/croupier"
size=$(du -sk --exclude=DEBIAN "$root" | cut -f1)
sed "s/@VERSION@/$version/; s/@SIZE@/$size/" packaging/debian/control.in >"$root/DEBIAN/control"

dpkg-deb --root-owner-group --build "$root" "dist/croupier_${version}_all.deb" >&2
