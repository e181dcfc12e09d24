// What the pages say, in English and Swedish. Keys are the English words in short.
const WORDS = {
  board: ["Board", "Tavla"], table: ["Table", "Bordet"], games: ["Games", "Spel"], setup: ["Set-up", "Inställning"],
  pair: ["Pair this phone", "Para den här telefonen"], phone: ["Phones", "Telefoner"],
  lost: ["No connection to the table. Trying again …", "Ingen kontakt med bordet. Försöker igen …"],
  no_game: ["No game is being played.", "Inget spel pågår."],
  begin_one: ["Begin one under Set-up.", "Börja ett under Inställning."],
  first_to: ["first to {points}", "först till {points}"],
  turn: ["this turn", "den här turen"], on_table: ["on the table {points}", "på bordet {points}"],
  nothing_on_table: ["no points on the table", "inga poäng på bordet"],
  total: ["total", "summa"], last: ["last", "senast"], player: ["player", "spelare"], rank: ["place", "plats"],
  final_round: ["last round", "sista omgången"], tie_break: ["tie break", "skiljeomgång"],
  finished: ["game over", "spelet är slut"], to_play: ["to play", "på tur"], winner: ["winner", "vinnare"],
  throw_n: ["{player}: throw {dice}.", "{player}: kasta {dice}."],
  one_die: ["one die", "en tärning"], n_dice: ["{n} dice", "{n} tärningar"],
  or_bank: ["{player}: throw {dice}, or bank.", "{player}: kasta {dice}, eller spara."],
  keep_on: ["{player}: keep what scores and throw on.", "{player}: behåll det som ger poäng och kasta vidare."],
  keep_or_pass: ["{player}: keep what scores and throw on, or pass the dice.",
    "{player}: behåll det som ger poäng och kasta vidare, eller lämna över tärningarna."],
  wins: ["{names} wins with {points} points.", "{names} vinner med {points} poäng."],
  share: ["{names} share the win with {points} points.", "{names} delar segern med {points} poäng."],
  over: ["The game is over.", "Spelet är slut."],
  ev_bust: ["Farkle! {player} loses {points}.", "Farkle! {player} förlorar {points}."],
  ev_bust0: ["Farkle! {player} gets nothing.", "Farkle! {player} får ingenting."],
  ev_hot: ["Hot dice for {player}!", "Heta tärningar för {player}!"],
  ev_banked: ["{player} banks {points}.", "{player} sparar {points}."],
  ev_took: ["{player} takes over {points}.", "{player} tar över {points}."],
  ev_entered: ["{player}: {points} written.", "{player}: {points} skrivet."],
  ev_undone: ["Taken back.", "Ångrat."], ev_corrected: ["Corrected.", "Rättat."],
  by: ["by {who}", "av {who}"], camera: ["the camera", "kameran"], key: ["the keyboard", "tangentbordet"],
  history: ["Turns", "Turer"], nobody: ["–", "–"],
  die: ["die {n}: {face}", "tärning {n}: {face}"], unread: ["not read", "inte avläst"],
  leaning: ["leaning", "lutar"], kept: ["set aside", "undanlagd"], asked: ["is asked about", "frågas om"],
  paused: ["Table and score differ", "Bord och poäng stämmer inte"], unsure: ["The table is asked", "Bordet frågas"],
  seen: ["The table shows", "Bordet visar"], expected: ["The game expects", "Spelet väntar"],
  tap_asked: ["Tap the yellow die and say what it shows.", "Tryck på den gula tärningen och säg vad den visar."],
  since: ["Dice have been thrown since.", "Tärningar har kastats sedan dess."],
  which: ["Tap the die that is wrong.", "Tryck på tärningen som är fel."],
  what_shows: ["What does die {n} show?", "Vad visar tärning {n}?"],
  likely: ["Likeliest", "Troligast"], all_faces: ["All faces", "Alla sidor"],
  not_a_die: ["Not a die", "Ingen tärning"], cocked: ["It leans: throw it again", "Den lutar: kasta om den"],
  missing: ["Add a missing die", "Lägg till en tärning som saknas"],
  missing_what: ["What does the hidden die show?", "Vad visar den dolda tärningen?"],
  cancel: ["Cancel", "Avbryt"], close: ["Close", "Stäng"],
  bank: ["Bank", "Spara"], undo: ["Undo", "Ångra"], redo: ["Redo", "Gör om"], next: ["Give up the turn (0)", "Ge upp turen (0)"],
  roll_again: ["The throw does not count", "Kastet räknas inte"], take_over: ["Take over {points} with {dice}", "Ta över {points} med {dice}"],
  sure_next: ["Write 0 for this turn?", "Skriva 0 för den här turen?"], yes: ["Yes", "Ja"], no: ["No", "Nej"],
  not_paired: ["This phone only looks on. Pair it to correct.", "Den här telefonen tittar bara. Para den för att rätta."],
  locked_for_you: ["Corrections are locked by the organiser.", "Rättelser är låsta av arrangören."],
  old_turns: ["Correct an old turn", "Rätta en gammal tur"], turn_n: ["turn {n}", "tur {n}"],
  threw: ["threw", "kastade"], aside: ["set aside", "lade undan"], banked: ["banked", "sparade"],
  tookover: ["took over", "tog över"], entered: ["by hand", "för hand"],
  wrote: ["{points} written", "{points} skrivet"], in_progress: ["in progress", "pågår"],
  edit_throw: ["Correct the throw", "Rätta kastet"], edit_aside: ["Correct what was set aside", "Rätta det undanlagda"],
  tap_die_then_face: ["Tap a die, then its right face.", "Tryck på en tärning, sedan på rätt sida."],
  comes_to: ["It comes to", "Det blir"], before: ["before", "före"], now: ["now", "nu"],
  problems: ["This would not count any more", "Detta skulle inte räknas längre"],
  leave_out: ["Save and leave that out", "Spara och stryk det"], save: ["Save", "Spara"],
  remove_turn: ["Take the turn out", "Ta bort turen"], write_points: ["Write points by hand", "Skriv poäng för hand"],
  enter_turn: ["Write a turn by hand", "Skriv en tur för hand"], points: ["points", "poäng"], write: ["Write", "Skriv"],
  evidence: ["Picture of the throw", "Bild på kastet"], no_picture: ["no picture", "ingen bild"],
  type_throw: ["What did you throw? {n} dice", "Vad kastade du? {n} tärningar"], clear: ["Clear", "Rensa"],
  confirm_throw: ["That is the throw", "Det är kastet"],
  pick_aside: ["Tap the dice to set aside", "Tryck på tärningarna som läggs undan"],
  set_aside: ["Set aside: {points}", "Lägg undan: {points}"], aside_bank: ["Set aside and bank: {points}", "Lägg undan och spara: {points}"],
  does_not_score: ["these do not score together", "de ger inte poäng tillsammans"],
  changed_by: ["Changed meanwhile: {what}", "Ändrades under tiden: {what}"],
  your_name: ["Name of this phone", "Telefonens namn"], pin: ["PIN", "PIN"],
  pair_how: ["The display at the table shows a PIN of six digits.", "Skärmen vid bordet visar en PIN-kod med sex siffror."],
  show_pin: ["Show the PIN on the display", "Visa PIN-koden på skärmen"], shown: ["Look at the display.", "Titta på skärmen."],
  pair_now: ["Pair", "Para"], paired_as: ["Paired as {name}.", "Parad som {name}."],
  unpair: ["Unpair", "Ta bort"], this_phone: ["this phone", "den här telefonen"],
  phones_title: ["Paired phones", "Parade telefoner"],
  lock_title: ["Tournament lock", "Turneringslås"],
  lock_about: ["With the lock on, only phones that give the organiser's PIN can correct. Banking stays free.",
    "Med låset på kan bara telefoner som ger arrangörens PIN rätta. Att spara är fritt ändå."],
  lock_on: ["Lock corrections", "Lås rättelser"], lock_off: ["Unlock", "Lås upp"],
  organiser_pin: ["Organiser's PIN (4 to 12 digits)", "Arrangörens PIN (4 till 12 siffror)"],
  i_am_organiser: ["Correct with this phone", "Rätta med den här telefonen"], locked: ["Corrections are locked.", "Rättelser är låsta."],
  game_n: ["Game {n}", "Spel {n}"], no_games: ["No games were played yet.", "Inga spel har spelats ännu."],
  started: ["started", "började"], rules: ["rules", "regler"], state: ["state", "läge"], open_game: ["unfinished", "inte avslutat"],
  won_by: ["{names} won", "{names} vann"], unreadable: ["cannot be read", "kan inte läsas"],
  statistics: ["Statistics", "Statistik"], all_statistics: ["Statistics of all games", "Statistik för alla spel"],
  points_a_turn: ["Points a turn", "Poäng per tur"], turns: ["turns", "turer"], throws: ["throws", "kast"], busts: ["farkles", "farkle"],
  best_turn: ["best turn", "bästa tur"], hot: ["hot dice", "heta tärningar"], luck: ["luck", "tur med tärningarna"],
  faces_plot: ["Faces thrown", "Kastade sidor"], totals_plot: ["Points after each turn", "Poäng efter varje tur"],
  replay: ["Throw by throw", "Kast för kast"], back: ["Back", "Tillbaka"], forward: ["Forward", "Framåt"],
  step_of: ["{n} of {of}", "{n} av {of}"], export_: ["Export", "Exportera"],
  as_json: ["JSON for croupier replay", "JSON för croupier replay"], as_text: ["Text", "Text"], as_csv: ["Table (CSV)", "Tabell (CSV)"],
  verify: ["Check that nothing was changed", "Kontrollera att inget har ändrats"], verified: ["Nothing was changed.", "Inget har ändrats."],
  changes: ["Corrections", "Rättelser"], undone: ["taken back", "ångrat"], redone: ["brought back", "gjort om"], repaired: ["corrected", "rättat"],
  all_games: ["All games", "Alla spel"], wins_n: ["rounds won", "vunna omgångar"],
  step_camera: ["1 · Camera and table", "1 · Kamera och bord"], step_players: ["2 · Players", "2 · Spelare"], step_rules: ["3 · Rules", "3 · Regler"],
  step_start: ["4 · Begin", "4 · Börja"],
  no_camera: ["This table plays without a camera: you tell what you throw.", "Bordet spelar utan kamera: du anger vad du kastar."],
  no_view: ["The camera shows nothing yet.", "Kameran visar inget ännu."],
  in_play: ["A game is being played. A calibration counts from the next one.", "Ett spel pågår. En kalibrering gäller från nästa."],
  live_picture: ["The camera's picture", "Kamerans bild"], freeze: ["Stop the picture", "Stanna bilden"], unfreeze: ["Live picture", "Levande bild"],
  die_mm: ["Side of the dice, mm", "Tärningarnas sida, mm"], width_mm: ["Width of the marked area, mm (empty: the dice tell)", "Områdets bredd, mm (tomt: tärningarna avgör)"],
  find_mat: ["Find the mat", "Hitta mattan"], use_corners: ["No mat: drag the corners", "Ingen matta: dra hörnen"], find_corners: ["Use these corners", "Använd hörnen"],
  with_lanes: ["A lane for each player", "En bana för varje spelare"], with_tray: ["A tray for dice set aside", "En bricka för undanlagda tärningar"],
  corner_n: ["corner {n}: {x} %, {y} %. Arrow keys move it.", "hörn {n}: {x} %, {y} %. Piltangenterna flyttar det."],
  zone_corner: ["{zone}, corner {n}. Arrow keys move it.", "{zone}, hörn {n}. Piltangenterna flyttar det."],
  zone_roll: ["throwing zone", "kastzon"], zone_tray: ["tray", "bricka"], zone_bank: ["bank zone", "sparzon"],
  drag_zones: ["Change the zones", "Ändra zonerna"], take_zones: ["Use these zones", "Använd zonerna"],
  meters: ["How good the view is", "Hur bra bilden är"], m_die: ["size of a die", "tärningens storlek"], m_focus: ["focus", "skärpa"],
  m_glare: ["glare", "blänk"], m_light: ["light", "ljus"], m_tilt: ["tilt", "lutning"], m_view: ["in the picture", "i bilden"],
  good: ["good", "bra"], bad: ["change this", "ändra detta"],
  proof: ["Proof roll: throw the dice, then tap here", "Provkast: kasta tärningarna, tryck sedan här"], i_see: ["I see {dice}. Is that right?", "Jag ser {dice}. Stämmer det?"],
  no_dice: ["I see no dice in the zones.", "Jag ser inga tärningar i zonerna."],
  table_name: ["Name of the table", "Bordets namn"], save_table: ["It is right: save", "Det stämmer: spara"], saved: ["Saved; the next game uses it.", "Sparat; nästa spel använder det."],
  calibrated: ["Calibrated: {name}", "Kalibrerat: {name}"], not_calibrated: ["Not calibrated: the whole picture is one zone.", "Inte kalibrerat: hela bilden är en zon."],
  add_player: ["Add a player", "Lägg till en spelare"], player_n: ["Player {n}", "Spelare {n}"], up: ["Move {name} up", "Flytta upp {name}"], down: ["Move {name} down", "Flytta ner {name}"], remove: ["Remove {name}", "Ta bort {name}"],
  preset: ["Rules", "Regler"], what_scores: ["What scores", "Vad som ger poäng"], all_settings: ["Every rule, to change", "Alla regler, att ändra"], usual: ["usual", "vanligt"],
  reset: ["As usual", "Som vanligt"], begin: ["Begin the game", "Börja spelet"], resume: ["Go on with the unfinished game", "Fortsätt det avbrutna spelet"],
  leave: ["Leave the game (it can go on later)", "Lämna spelet (det kan fortsätta senare)"], begun: ["The game has begun.", "Spelet har börjat."], left: ["Left.", "Lämnat."],
  replaces: ["The game being played is left; it can go on later.", "Spelet som pågår lämnas; det kan fortsätta senare."],
  sure: ["sure", "säkert"], language: ["Svenska", "English"], odds_title: ["What the odds say", "Vad oddsen säger"],
  keep: ["keep {dice}", "behåll {dice}"], then_bank: ["then bank", "och spara"], then_roll: ["then throw on", "och kasta vidare"],
  d_unread: ["A die cannot be read", "En tärning går inte att läsa"], d_cocked: ["A die leans", "En tärning lutar"],
  d_too_few: ["Dice are missing", "Det saknas tärningar"], d_too_many: ["There are too many dice", "Det är för många tärningar"],
  d_changed_face: ["A die that was not thrown shows another face", "En tärning som inte kastades visar en annan sida"],
  d_kept_moved: ["Dice that were set aside have been thrown again", "Undanlagda tärningar har kastats igen"],
  d_nothing_kept: ["No scoring die was set aside", "Ingen poänggivande tärning lades undan"],
  d_not_scoring: ["Dice were set aside that do not score", "Undanlagda tärningar ger inga poäng"],
  d_not_all_thrown: ["A new turn was begun without all dice", "En ny tur började utan alla tärningar"],
  d_below_minimum: ["The dice were passed on, but the turn may not be banked yet", "Tärningarna lämnades över, men turen får inte sparas ännu"],
  d_slid_or_thrown: ["Dice were pushed aside or thrown", "Tärningar knuffades eller kastades"],
  d_take_over: ["Is the offer taken over?", "Tas erbjudandet över?"],
  d_pushed_or_thrown: ["Dice were pushed or thrown", "Tärningar knuffades eller kastades"],
  d_out_of_turn: ["Dice were thrown in the lane of somebody who is not to act", "Tärningar kastades i en bana som inte är på tur"],
  d_not_banked: ["The dice were passed on without a bank", "Tärningarna lämnades över utan att sparas"],
  d_hot_or_passed: ["Hot dice thrown again, or passed on?", "Heta tärningar kastade igen, eller lämnade över?"],
  d_lost_track: ["The table was out of sight and has changed", "Bordet var utom synhåll och har ändrats"],
};

let language = "en";
try {
  language = localStorage.getItem("language") || (navigator.language.startsWith("sv") ? "sv" : "en");
} catch {
  // A browser that keeps nothing: English.
}
document.documentElement.lang = language;

export function currentLanguage() { return language; }

export function switchLanguage() {
  try { localStorage.setItem("language", language === "sv" ? "en" : "sv"); } catch { return; }
  location.reload();
}

export function t(key, values = {}) {
  const both = WORDS[key];
  if (!both) return key;
  return both[language === "sv" ? 1 : 0].replace(/\{(\w+)\}/g, (_, name) => String(values[name] ?? ""));
}

export function points(number) {
  if (number === null || number === undefined) return "–";
  const text = String(Math.abs(number)).replace(/\B(?=(\d{3})+$)/g, "\u202f");
  return (number < 0 ? "\u2212" : "") + text;
}

export function gain(number) { return number > 0 ? `+${points(number)}` : points(number); }

export function diceWord(count) { return count === 1 ? t("one_die") : t("n_dice", { n: count }); }
