/** Words that hold sentences together, by language. They tell the language of a text, and say little of what a question looks for. */

/** Of languages that share the Latin letters. */
export const FUNCTION_WORDS = {
  english: `a about above after again against all am an and any are as at be because been before being below between both but by can cannot
    could did do does doing don down during each few for from further had has have having he her here hers herself him himself his how i
    if in into is it its itself just me more most my myself no nor not now of off on once only or other our ours ourselves out over own
    same she should so some such t than that the their theirs them themselves then there these they this those through to too under until
    up very was we were what when where which while who whom why will with would you your yours yourself yourselves`,
  spanish: `a al algo algún alguna algunas alguno algunos ante antes aquel aquella aquí así aun aunque bajo bien cada casi como cómo con contra cual
    cuál cuáles cuándo cuando cuánta cuántas cuánto cuántos cuya de del desde donde dónde dos durante e el él ella ellas ellos en entre era eran eres
    es esa esas ese eso esos esta está estaba están estar estas este esto estos estoy fue fueron ha había haber hace hacer han has hasta hay he hemos
    la las le les lo los más me mi mí mis mucho muchos muy nada ni no nos nosotros nuestra nuestras nuestro nuestros o os otra otro para pero poco
    por porque puede puedes pues que qué quien quién quiénes se sea ser si sí sido sin sobre son soy su sus también tan tanto te tengo tiene tienen
    todo todos tu tú tus un una unas uno unos usted ustedes va vamos van voy y ya yo`,
  german: `ab aber alle allem allen aller alles als also am an andere anderen auch auf aus bei beim bin bis bist da dabei damit dann daran darauf das
    dass davon dazu dein deine dem den denn der des deshalb dich die dies diese diesem diesen dieser dieses dir doch dort du durch ein eine einem
    einen einer eines er es etwas euch euer eure für ganz gar gegen gibt habe haben hast hat hatte hatten hier hinter ich ihm ihn ihnen ihr ihre
    ihrem ihren ihrer im immer in ins ist ja jede jedem jeden jeder jedes jetzt kann kannst kein keine keinen können könnte man mal mehr mein meine
    meinem meinen meiner mich mir mit muss müssen nach nicht nichts noch nun nur ob oder ohne schon sehr sein seine seinen seiner seit sich sie sind
    so sobald soll sollen sollte sondern um und uns unser unsere unseren unserer unter viel viele vom von vor war waren warum was wegen weil welche
    welcher welches wem wen wenn wer werde werden wie wieder will wir wird wo wohin woher wann wurde wurden zu zum zur zwischen über`,
  french: `à afin ai ainsi alors après as assez au aucun aucune aujourd aussi autre autres aux avaient avait avant avec avez avoir avons bien c car ce
    ceci cela celle celui ces cet cette ceux chaque chez combien comme comment contre d dans de depuis des donc dont du elle elles en encore entre es
    est et étaient était été être eu eux fait faut hier ici il ils j je jusque l la là le les leur leurs lors lorsque lui m ma mais me même mes moi
    moins mon n ne ni non nos notre nous on ont ou où par parce pas pendant peu peut peux plus plusieurs pour pourquoi près puis qu quand que quel
    quelle quelles quels qui quoi s sa sans se sera ses si soit sommes son sont sous suis sur t ta te tes toi ton tous tout toute toutes très tu un
    une vers voici voilà vos votre vous y`,
  portuguese: `a à ainda algo alguém algum alguma alguns ao aos apenas aquela aquele aqui as às assim até bem cada com como contra da das de dela dele
    deles depois desde desta deste do dos e é ela elas ele eles em enquanto entre era eram essa esse esta está estamos estão estar estas estava este
    estes estou eu foi for foram fui há isso isto já la lhe lhes logo mais mas me mesmo meu meus minha minhas muito muitos na não nas nem no nos nós
    nossa nossas nosso nossos num numa o onde os ou outra outro para pela pelas pelo pelos pode podes por porque porquê pouco qual quais quando
    quanta quantas quanto quantos que quê quem são se sem sempre ser será seu seus si sido só sobre somos sou sua suas também tão te tem têm temos
    tenho ter teu teve tinha toda todas todo todos tu tua tudo um uma umas uns vai vamos vão você vocês vou`,
  italian: `a abbiamo ad agli ai al alcuni alla alle allo allora altra altri altro anche ancora avere aveva avete c che chi ci ciò cioè come con
    contro cosa così cui d da dagli dai dal dalla dalle dallo degli dei del dell della delle dello di dopo dov dove e è ed era erano essere fa fino
    fra già gli ha hai hanno ho i il in io l la le lei li lo loro lui ma me mi mia mie miei mio molto ne negli nei nel nell nella nelle nello noi non
    nostra nostre nostri nostro o ogni oppure per perché perciò più poi posso prima può puoi qual quale quali quando quanta quante quanti quanto quel
    quella quelle quelli quello questa queste questi questo qui se sei sempre senza si sia siamo siete sono sopra sotto sta stai stata state stati
    stato sto su sua sue sugli sui sul sulla sulle suo suoi ti tra tu tua tue tuo tuoi tutta tutte tutti tutto un una uno va vi voi vostra vostro`,
  dutch: `aan achter af al alle alleen als altijd andere ben bij binnen daar dan dat de deze die dit doen door dus een eens elk elke en er ga gaan
    gaat geen geweest haar had hadden heb hebben hebt heeft heel hem hen het hier hij hoe hoeveel hun iemand iets ik in is ja je jij jouw jullie kan
    kon kun kunnen maar me meer men met mij mijn moet moeten na naar niet niets nog nu of om omdat onder ons onze ook op over per sinds te tegen toch
    toen tot tussen u uit uw van vanaf veel voor waar waarom wanneer want waren was wat we weer wel welk welke werd wie wij wil worden wordt zal ze
    zeer zelf zich zij zijn zo zoals zodra zonder zou`,
  swedish: `alla allt än är att av bara både blev bli blir de dem den denna deras dess det detta dig din dina ditt du där då efter ej eller en er
    ett finns från för fick får får genom ha hade han hans har henne hennes hon honom hur här i icke igen in inga ingen inget innan inte jag ju kan
    kunde man med mellan men mer mig min mina mitt mot mycket måste nu när någon något några och om oss på redan samma sedan sig sin sina sitt ska
    skulle som så till under upp ur ut utan vad var vara varför varit vem vi vid vilka vilken vilket vill åt över`,
  danish: `af alle allerede alt andre at bare blev bliver da de dem den denne der deres det dette dig din dine disse dog du efter ej eller en end er
    et for fordi fra får før god ham han hans har havde have hende hendes her hun hvad hvem hver hvilken hvis hvor hvordan hvorfor hvornår i igen
    ikke ind ingen jeg jer jo kan kunne lige man mange med meget mellem men mig min mine mit mod må nej noget nogle nu når og også om op os over på
    samme selv sig sin sine skal skulle som sådan til ud uden under var ved vi vil ville vores være været`,
  norwegian: `alle andre at av bare begge ble blei bli blir bort da de deg dem den denne der deres det dette din disse ditt du eller en enn er et
    etter for fordi fra få får før gang ha hadde han hans har henne hennes her hun hva hvem hver hvilken hvis hvor hvordan hvorfor i igjen ikke
    ingen inn jeg kan kunne man mange med meg mellom men mer min mine mitt mot mye må nei noe noen nå når og også om opp oss over på samme seg selv
    sin sine sitt skal skulle slik som så til ut uten var ved vi vil ville være vært vår`,
  finnish: `ei eikä eivät ele emme en entä että he heidän heille hän häneen hänelle hänen ihan itse ja jo joka jonka jos jota jotka joten kanssa
    kaikki koska kuin kuinka kuka kun kyllä me meidän meille mikä miksi milloin minkä minua minulla minulle minun minä missä mitä mutta myös ne
    niin niitä noin nyt näin ole olen olemme olet oli olin olisi olivat olla on onko ovat paljon se sekä sen siellä siinä sille sinun sinä sitten
    sitä tai te teidän tämä tämän tässä tätä vaan vai vain vaikka voi`,
  hungarian: `a abban ahhoz ahogy aki akik akkor alatt által amely amelyek ami amit annak arra át az azok azon azonban azt aztán azért be csak de
    e egy egyik el ellen előtt én és ez ezek ezen ezt ezért fel hanem hogy hogyan hol ha ide igen így is itt jól ki kell kellett le legyen lehet
    lesz lett majd már meg mert mely mi miért mikor milyen mindig mint mit most nagyon ne nekem nem nincs olyan ott össze ő ők pedig s saját sem
    semmi sok szerint talán te több után ugyan úgy vagy vagyok van vannak volna volt voltak`,
  romanian: `a acea aceasta această aceea acel acele acest aceste acestea acolo acum ai aici al ale alt am ar are as așa asta asupra au avea avem
    azi că când cândva câte câți ce cea cei cel cele cine cineva cu cum da dacă dar de deci decât deja despre din după ea ei el ele era este eu
    fi fie fiecare fost fără iar îl îmi în încă între îi își la le li lor lui mai mea mei mele mereu meu mi mult multe ne nici nimic noastră noi
    nostru nou nu o ori orice pe pentru peste poate prin să sau se si și sub sunt te toate tot toți tu un una unde unei unor unui va vom vor vă
    vostru`,
  turkish: `acaba ama ancak aslında az bana bazı belki ben benden beni benim bile bir biraz biri biz bize bizi bizim bu buna bunda bunlar bunu
    bunun burada böyle çok çünkü da daha de değil diye en fakat gibi göre hangi hatta hem hep hepsi her hiç için ile ise işte kadar kendi ki kim
    kimse mi mı mu mü nasıl ne neden nerede neyse niçin niye o olan olarak oldu olduğu olmak olsa ona ondan onlar onu onun orada oysa öyle pek
    sana sanki şey siz size sizi sizin son sonra şu şunu tüm üzere var ve veya ya yani yok zaten`,
} as const;

export type Language = keyof typeof FUNCTION_WORDS;
export const LANGUAGES = Object.keys(FUNCTION_WORDS) as Language[];

/** English words, of texts and of code, that look like function words of other languages. */
export const ALSO_ENGLISH = `ad af ai al ale algo alla alle alles also alt an ante ar art as at au av az bad bara bare be been bei ben bent bin bis biz bli by ca car
  care cel ci com come comment con contra cosa cum da dai dan das dat de deal deg della delle dello dem den des dig din dir dis do dog
  door dos dove du due ea eh ei el ella em en end entre er era es est et eu ez fa fact far fast fel fi fin fino fit for fort fra fur ga
  gang gar gli god gut ha hab ham han hat he hem hen her hier ho hol hon hun ich ii il im in ind ins io ist it ja je ji jo ki la lang
  las le lei les li lo logo long lor los lot lui ma mai mal mam man mange mas me mein men mi mia mie mil min mine mint mir mit mod mon
  most mot mu na nach nas ne nej ni nih noi non nor nos nostra nu num oder og ok om on one op or ora os ou oz par part pas pe per plus
  por pour pre prima pro qu que rest rom sa san sans se sea sec see sei sek selv sempre sen ser seu sex si sig sin siz ska sobre sol som
  son sono sou sous st stat su sub sue sui sun sur ta tag tan te ten ti til till to todo todos ton tot tout tu ud um uma un uno uns
  unser up ur us va vain van var vi via vid vil ville vom von vor vos want war was wen wet wie wit wo ya yo zo zu`;

/** Of languages that are told by their script. */
export const FUNCTION_WORDS_BY_SCRIPT = [
  `а без более больше будет будут бы был была были было быть в вам вас весь во вот все всё всех вы где да даже для до его ее её ей ему если есть
  еще ещё же за здесь и из или им их к как какая какие какой каком когда кого кому который которая которые кто куда ли между меня мне много
  может можно мой моя мои моего мы на над надо нам нас наш наша наши не него нее неё нет ни них но ну о об однако он она они оно от очень по под
  после потом потому почему при про раз с сам свой своя свои себя сейчас сколько со так также такой там тебя тем то того тоже той только том ты
  у уже хотя чего чей чем через что чтобы эта эти это этот этого этой я насколько зачем`,
  `και ο η το οι τα του της των τον την τους τις στο στη στην στον στα στις στους με σε για από που πως πώς πού ποιος ποια ποιο τι πότε γιατί να θα
  δεν δε μη μην είναι ήταν είμαι έχω έχει έχουν αυτό αυτός αυτή αυτά ένα ένας μια μία μου σου μας σας κι ή αν όταν όπως αλλά πολύ πιο εγώ εσύ εμείς`,
  `في من على إلى الى عن مع هل ما ماذا متى أين كيف لماذا كم أي من هو هي هم هن نحن أنا انا أنت انت هذا هذه ذلك تلك الذي التي الذين كان كانت كانوا
  يكون قد لقد لا لم لن ليس ليست غير بعد قبل عند عندما كل بعض ثم أو او أم لكن إن ان أن إذا اذا حتى منذ بين تحت فوق أيضا ايضا جدا لي لك له لها لنا
  لهم به بها فيه فيها منه منها عليه عليها يا و`,
  `का की के को में से पर और या है हैं था थी थे हो होता होती होते हुआ हुई हुए कर करना करने किया यह ये वह वे इस उस इन उन इसका उसका मेरा मेरी मेरे तेरा तुम्हारा
  हमारा आपका मैं तुम आप हम वो जो कि क्या कब कहाँ कहां क्यों कैसे कौन कितना कितने नहीं न भी ही तो लिए साथ बाद पहले अब तक अपना अपनी अपने एक ने`,
] as const;

const sets = new Map<Language, ReadonlySet<string>>();

/** `word`: in lower case, with or without its accents. */
export function isFunctionWord(language: Language, word: string): boolean {
  let words = sets.get(language);
  if (!words) {
    const all = FUNCTION_WORDS[language].split(/\s+/);
    words = new Set([...all, ...all.map((one) => one.normalize('NFD').replace(/\p{M}/gu, ''))]);
    sets.set(language, words);
  }
  return words.has(word);
}
