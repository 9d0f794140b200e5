/** Verbs by what a statement with them is worth. */

import { wordSet } from './sets.ts';

export const LIKING = wordSet(`like love hate prefer enjoy dislike adore loathe detest despise favour favor fancy crave`);

/** What one thinks, feels, says or perceives: about the conversation, whatever the tense. */
export const MENTAL =
  wordSet(`think guess mean see know understand wonder hope suppose feel wish believe assume imagine get try ask tell say notice realise realize remember forget recall figure look
  seem appear want need help let thank agree disagree doubt bet swear promise apologise apologize appreciate mind care suggest recommend expect trust worry hear find happen keep stop
  point refer mention describe explain talk continue proceed repeat wait miss regret reckon gather sense spot concur insist object come be become laugh cry die panic freak listen watch
  count admit accept deserve owe hesitate struggle wake stare browse google search scroll skim glance end wind bother dare pretend joke kid suck`);

/** What one does to the text, the code or the machine at hand; as a habit with things in general it says something. */
export const HANDLING =
  wordSet(`check click press type paste copy open close follow show give put pull push add change edit remove delete rename update restart rerun reload refresh select reach send read post
  do make receive encounter hit fail compile execute return install reinstall uninstall create configure set test import export upload download log print commit clone fork fix debug patch
  call pass parse define declare clear reset reboot disable enable revert rebase tweak adjust modify rewrite rephrase attach insert append wrap save convert switch try swap toggle format verify subtract divide multiply`);

/** Either. */
export const PASSING: ReadonlySet<string> = new Set([...MENTAL, ...HANDLING]);

/** Of those, what is worth keeping as a habit or with an object that says something. */
export const HABITUAL = wordSet(`make read do come keep send receive follow give talk post check`);

/** Events of a life and of a project: worth keeping in the past. */
export const EVENTS =
  wordSet(`major move relocate emigrate immigrate marry divorce separate engage graduate buy sell purchase quit start join adopt leave retire resign lose win hire fire publish launch found
  break fracture sprain tear inherit rent lease enrol enroll drop finish complete pass fail donate emigrate migrate switch upgrade downgrade cancel subscribe sign accept reject decline turn book reserve
  order apply interview travel visit fly ship release deploy replace rewrite renovate build begin convert become grow study serve train live work teach earn receive turn celebrate attend
  stop give volunteer settle bring acquire undergo recover break injure hurt promote diagnose welcome close open register file submit run swim climb hike cycle ride meet lead write record design host organise organize win
  plant raise merge land pick crash total wreck total lay close found co-found cofound invest inherit foster rescue lend borrow lend replace install paint meet date`);

export const DECISIONS = wordSet(
  `vote decide choose settle approve greenlight veto sign agree opt pick commit select resolve conclude elect`,
);

/** Verbs of what one may or may not do as a lasting fact, after `can`. */
export const ABILITIES =
  wordSet(`eat drink have tolerate stand digest drive swim speak read play walk cook sing ride ski dance touch handle attend travel fly afford take use wear smell taste hear sleep code
  type juggle knit sew bake surf sail lift run sit climb write juggle whistle consume process wear hike dive skate draw paint understand bear abide`);

/** What one has to do, apart from the help asked for here. */
export const ERRANDS =
  wordSet(`finish submit renew pay pick book schedule call buy pack file hand return send deliver prepare study collect drop visit attend present meet sign register apply move order
  cancel complete turn ship launch defend grade mail clean water feed host print`);

/** Work in hand. */
export const WORK =
  wordSet(`work write build prepare plan migrate debug fix refactor develop design study learn train organise organize renovate redecorate redo rewrite implement research draft edit review
  create launch set apply interview look save recover pack move paint translate test port upgrade read teach take practise practice wait wean rehearse record shoot compile assemble restore convert deploy
  finish wrap cook bake knit host run film grow hire recruit draw make rebuild repair replace switch transition negotiate optimise optimize investigate clean sort revise cram prototype produce composing
  compose curate catalogue digitise digitize document onboard mentor train coach sell buy rent raise expect`);

/** In the progressive, what passes in the conversation. */
export const PASSING_PROGRESSIVE =
  wordSet(`wonder try think ask get see look say talk hope guess feel struggle assume refer mean kid joke mess play just follow go come face experience encounter receive
  using hear notice suggest imagine be do doubt beg freak die cry laugh lie sit stand stare lose fail freeze leave sleep listen watch miss type chat speak speculate run hit sweat shake`);

/** Plans that life turns on, worth keeping without a date. */
export const PLANS =
  wordSet(`move marry retire start launch apply go travel fly visit buy sell switch migrate take run study learn quit leave adopt have get meet build write open work attend host join become rent propose
  train renovate present give speak teach hire release ship release drive ride hike climb spend celebrate stay transfer return cycle sail use`);

/** Verbs that often stand after `my sister`, to tell them from nouns: the tagger takes `lives` for one. */
export const COMMON =
  wordSet(`live work play drive love like hate prefer enjoy teach study run own speak write start leave need want use sing dance cook bake fish hike ride sail travel train paint draw coach
  manage lead attend visit help keep bark sleep weigh wear sell buy make design build know turn move arrive begin end finish open close land depart last cost take give come go get look feel fly
  drink eat smoke collect volunteer practise practice stay hold belong hope plan fight suffer struggle support care raise breed farm garden shoot film record mind miss approve handle expire renew date share walk end tie handle stay hold run`);

/** What an assistant is told to do; the tagger takes many of them for nouns at the start of a sentence. */
export const ORDERS =
  wordSet(`use number give make write list show tell find help suggest keep skip answer reply respond call address avoid stop explain format include add put send check fix run open rename update book
  summarise summarize translate draft plan compare remind name pick set round quote sign start begin end be do let try take go read look say speak talk convert switch refer stick limit drop cut leave assume ask
  focus treat mark prefix write wrap cite label print order sort rank rate edit review test build create generate design describe define mention clean tidy tighten shorten cap stick split note ignore remove delete change move turn search fetch`);

/** Verbs of telling that carry no fact of their own with `my`. */
export const SAYING = wordSet(
  `say tell ask think want need believe mean wonder suggest claim feel keep seem look hope complain insist mention`,
);

/** What one says of oneself without a subject after `do not`, where it would else be an order. */
export const PERSONAL = wordSet(
  `have own eat drink smoke drive speak live work know like want need mind believe understand cook drink own cycle swim celebrate do get read watch play trust tolerate earn`,
);

/** What a thing does when something is wrong with it, or with how it is used. */
export const MALFUNCTIONS =
  wordSet(`break crash fail hurt freeze hang throw return compile load respond connect render error explode die suck stink disappear vanish jump flicker lag stall refuse complain happen seem look feel sound
  appear depend matter`);
/** What a thing should do, so that it is a complaint to say that it does not. */
export const OPERATIONS = wordSet(
  `work run start open close build print save show go turn stop make help let display match fit update sync install charge boot pass come get update`,
);

export const BODY_HABITS = wordSet('eat drink smoke vape avoid take wear practise practice follow pray fast weigh suffer');

export const ALONE = wordSet(
  'smoke drink drive snore meditate freelance surf ski climb paint garden knit cycle run swim sing dance cook bake hike fish code stutter stammer vape vote pray fast sail journal commute jog volunteer lift box',
);

export const ENGAGED = wordSet('married engaged divorced promoted hired fired laid diagnosed accepted rejected pregnant separated sober');
