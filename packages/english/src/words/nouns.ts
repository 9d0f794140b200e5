/** Nouns by what having, being or naming one says. */

import { wordSet } from './sets.ts';

export const FAMILY =
  wordSet(`mother mom mum mommy mummy father dad daddy parent parents sister sisters brother brothers sibling siblings twin twins son sons daughter daughters kid kids child children baby toddler
  newborn teenager wife husband spouse partner girlfriend boyfriend fiance fiancé fiancee fiancée ex grandmother grandma granny nana grandfather grandpa grandparents grandson granddaughter grandchild grandchildren
  grandkids aunt auntie uncle cousin cousins niece nieces nephew nephews family in-laws mother-in-law father-in-law sister-in-law brother-in-law stepson stepdaughter stepmother stepfather stepmom stepdad
  stepbrother stepsister godmother godfather godson goddaughter folks grandad granddad gran nan grandson's stepkids stepchildren
  clan nonna nonno oma opa abuela abuelo boys girls eldest oldest youngest hubby missus fiance's better-half godparents in-law stepparents great-grandmother great-grandfather relatives preteen tween mam papa mama dads moms`);
export const PEOPLE =
  wordSet(`friend friends boss manager supervisor colleague colleagues coworker coworkers co-worker co-workers roommate roommates flatmate flatmates housemate housemates neighbour neighbours neighbor
  neighbors landlord landlady teacher tutor professor advisor adviser mentor mentee doctor dentist therapist lawyer accountant nanny babysitter assistant client clients customer customers
  student students intern editor agent publisher cofounder co-founder ceo cto coach trainer team tenant tenants employee employees employer vet gp physio midwife bandmate bandmates bff lead director bestie crew staff`);
export const PETS =
  wordSet(`dog dogs puppy puppies cat cats kitten kittens pet pets hamster rabbit rabbits bunny parrot bird birds budgie canary horse horses pony tortoise turtle snake gecko lizard ferret goldfish fish
  guinea-pig chicken chickens hen hens goat goats sheep cow cows donkey duck ducks bees retriever labrador lab poodle terrier spaniel beagle husky corgi dachshund collie bulldog pug shepherd greyhound mutt tabby
  siamese axolotl rat rats mouse chinchilla cockatiel iguana rottweiler boxer chihuahua dalmatian schnauzer whippet mastiff newfoundland`);
export const HEALTH =
  wordSet(`diabetes asthma allergy allergies adhd autism autistic epilepsy migraine migraines arthritis anxiety depression insomnia dyslexia celiac coeliac disease disorder syndrome condition cancer anaemia anemia
  hypertension blood-pressure intolerance ibs eczema psoriasis hypothyroidism thyroid endometriosis pcos sciatica tinnitus scoliosis lupus fibromyalgia osteoporosis apnea apnoea dyspraxia vertigo gout
  pacemaker prosthesis wheelchair disability crohn's colitis glaucoma reflux hiv hepatitis pressure tendonitis ocd ptsd bipolar sclerosis parkinson's heart-condition stammer stutter phobia hernia glasses braces implant implants hearing`);
export const STUDIES = wordSet(
  `phd doctorate degree master's masters bachelor's bachelor diploma mba bsc msc ba ma md certificate certification scholarship school university college year semester grade apprenticeship gcse a-levels program programme course license licence`,
);
export const OCCUPATION_ENDINGS =
  /(?:er|or|ist|ian|eer|smith|wright|nurse|chef|cook|clerk|agent|analyst|assistant|accountant|consultant|scientist|student|teacher|pilot|judge|attorney|guard|midwife|architect|surgeon|vet|barista|paramedic|mechanic|monk|priest|intern|apprentice|ceo|cto|cfo|dev|sysadmin|admin|freelance|contractor|coach|therapist|waitress|actress|hostess|hairdresser|translator|sergeant|soldier|officer|researcher|postdoc|undergrad|graduate|fellow|lead|representative|rep|specialist|executive|secretary|sommelier|nanny|au-pair|retiree|pensioner|butcher|diplomat|dietitian|vicar|rabbi|imam|pharmacist|entrepreneur|founder|cofounder|co-founder|professional|tech|pro|copywriter|jeweller|cop|firefighter|head|chief|vp|president|mayor|freelancer|homemaker|housewife|mum|sophomore|freshman|senior|junior)$/;
/** End like an occupation and are none. */
export const NO_OCCUPATION = wordSet(
  `matter other user customer reminder rather lover hater user beginner newcomer believer member owner drinker eater sleeper smoker non-smoker nonsmoker reader fan person night-owl starter stranger outsider mother father sister brother
  vegetarian pescatarian fruitarian christian daughter speaker collector hater morning lefty introvert extrovert hiker runner cyclist swimmer gamer foodie homeowner renter newbie number winner loser
  perfectionist pessimist optimist minimalist teetotaller teetotaler survivor hunter-gatherer millennial boomer citizen italian pacifist feminist atheist voter commuter`,
);

/** Occupations without the ending of one. */
export const OCCUPATIONS =
  wordSet(`nurse chef cook guide model host steward tailor potter baker poet author athlete sailor tutor carer caretaker caregiver postman postwoman milkman fireman trawlerman craftsman cameraman doorman groundsman policeman policewoman salesman saleswoman
  businesswoman businessman fisherman handyman stay-at-home doctoral student trainee au-pair cabbie copper bartender barber dj mc pm sre sdet qa dba swe po pa vj phd spouse housewife househusband sahm sahd`);
/** End like an occupation and are things. */
export const THINGS_LIKE_OCCUPATIONS =
  wordSet(`paper computer letter order number server folder docker water weather winter summer dinner supper sweater cover corner buffer layer parameter pointer character chapter header footer filter counter
  container cluster router printer monitor scanner charger adapter converter timer trigger wrapper handler controller reducer loader parser compiler linter formatter browser error mirror motor sensor vector color
  floor door factor sector processor elevator calculator indicator generator refrigerator radiator tractor humor freezer fryer cooker mixer blender toaster dishwasher dryer hairdryer heater boiler trailer camper
  newsletter master october november december september poster butter pepper ginger flower tower power shower river offer answer center quarter semester trimester fever cancer liver finger shoulder bladder disorder
  thriller folder filler humour behaviour flavour colour harbour neighbour armour rumour vapor tumor tumour labor labour order border murder lawnmower mower drawer locker ladder hammer screwdriver
  speaker sneaker stroller sticker marker binder tracker user reader transistor iterator constructor refactor literature latter former matter manner other another either
  list lists mist wrist twist fist waist playlist checklist wishlist shortlist tourist twitter sister brother dinner corner answer stranger danger hunger anger plaster cluster master monster
  weather leather feather rather whether under over after never ever later sooner better larger bigger smaller longer shorter older younger newer lower higher upper inner outer super hyper inter per her`);
/** What someone may be without being paid for it. */
export const ROLES =
  wordSet(`person guy gal girl boy man woman dude lady fan lover hater owner user beginner newbie noob novice rookie amateur expert veteran parent homeowner renter tenant landlord collector hobbyist player learner
  speaker native immigrant expat refugee citizen resident caregiver carer survivor widow widower smoker non-smoker nonsmoker drinker teetotaller teetotaler introvert extrovert lefty insomniac diabetic asthmatic coeliac celiac
  vegetarian vegan pescatarian owl bird night-owl lark runner cyclist hiker swimmer climber gamer foodie minimalist perfectionist enthusiast buff nerd geek noob fresher freshman sophomore junior senior undergrad grad graduate
  dropout retiree pensioner student twin only-child redhead brunette teen teenager pole dane swede finn turk scot brit aussie kiwi yank swiss lifter rider sleeper eater singer`);

/** What a plan is about: with a date, worth keeping whoever has it. */
export const EVENTS =
  wordSet(`specialist optician hygienist orthodontist dermatologist brief appeal reception drive return vat meeting meetings deadline launch demo exam exams interview flight appointment wedding party release conference presentation call trip review dinner lunch breakfast brunch concert birthday anniversary
  game match race marathon surgery operation checkup check-up viewing inspection hearing trial move delivery freeze sprint standup stand-up retro kickoff kick-off workshop training course class lesson test quiz midterm final finals
  holiday vacation visit funeral graduation ceremony recital rehearsal performance show gig talk lecture seminar webinar offsite retreat audit deploy deployment migration maintenance outage event hackathon
  session date reservation booking train bus ferry cruise tournament competition festival reunion barbecue bbq picnic sale auction election submission application proposal thesis report assignment homework essay paper project
  invoice payment rent lease contract visa passport tax taxes bill ticket shift consultation scan mri physio therapy haircut baptism christening bachelorette shower opening closing premiere premier pitch
  renewal subscription warranty expiry cutoff cut-off go-live golive golive rollout roll-out handover hand-in registration enrolment enrollment orientation term semester school milestone feature phase draft manuscript chapter keynote dentist doctor vet defence defense
  dissertation parcel package order colloquium bake-off play camp tour arrival departure check-in budget budgets grant loan scholarship offer trial vote referendum board committee all-hands townhall debrief`);

/** Has no meaning beyond the conversation. */
export const PASSING_THINGS =
  wordSet(`minutes seconds hours gb mb question questions problem problems issue issues idea ideas doubt doubts error errors bug bugs feeling request list lists file files function functions table dataset array string code script trouble
  time clue look thought thoughts suggestion suggestions point concern concerns guess answer luck chance favor favour minute second moment hunch say bit query variable loop class method component endpoint
  column row json csv regex snippet screenshot screen button page tab window log logs output input data text paragraph sentence draft response version stuff thing things lot lots hurry reason reasons choice option options sense
  task paper essay email message link url image picture photo understanding impression opinion difficulty difficulties fun need
  sets spreadsheet spreadsheets dataframe cases columns rows tables tests vector matrix derivative integral induction equation step steps exercise paragraphs sentences lines build ticket semicolon comma typo semicolons bracket brackets count track patience
  failures hypothesis array arrays object objects parameter parameters branch commit`);
/** My question, my point, my code: about the conversation or its material. */
export const PASSING_SUBJECTS =
  wordSet(`question questions problem problems issue point concern guess code script function query app screen page browser computer internet wifi wi-fi connection terminal console test tests build
  answer request bad mistake fault opinion view thought thoughts idea understanding apologies apology turn head mind brain eyes goodness god word prompt message previous last first next sentence text input output file table error
  screenshot order luck day life life's impression expectation expectations understanding original example assumption typo experience love favorite thing things whole favourite intention take gut
  story poem sketch essay paragraph draft intro conclusion argument hero heroine protagonist narrator character result results graph chart slide homework solution proof equation regex field loop variable output`);

export const LONG_PROJECTS =
  wordSet(`novel book app game startup start-up business company platform website site blog podcast channel album house boat cabin library framework engine saas product compiler memoir series service tool robot
  course newsletter comic trilogy screenplay extension plugin database system cookbook film documentary musical opera portfolio bot shop store model api`);
export const DWELLINGS = wordSet(
  `flat apartment house home condo studio room place cabin cottage bungalow villa farm loft townhouse houseboat caravan van dorm`,
);
export const GROUPS = wordSet(
  `company team startup start-up family group band couple household agency firm club studio charity nonprofit shop business school department unit crew organisation organization cooperative household collective`,
);

/** Things of which a household or a working person has one, so that `the` and no article both mean the user's. */
export const HOUSEHOLD =
  wordSet(`place flat apartment house home condo studio room cabin cottage bungalow garden yard backyard balcony terrace kitchen bathroom bedroom hallway attic basement cellar garage roof oven stove fridge freezer
  dishwasher boiler car bike van motorbike truck commute rent mortgage lease budget salary job work office boss landlord landlady school uni university allotment lawn soil water-pressure staircase elevator lift wifi
  microwave bathtub bath shower fireplace driveway shed greenhouse printer tv laptop phone tablet camera piano guitar licence license passport visa insurance pension bedtime`);
export const BODY =
  wordSet(`knee knees back hip hips shoulder shoulders neck wrist wrists ankle ankles elbow foot feet hand hands leg legs arm arms eye eyes eyesight vision hearing skin hair scalp teeth tooth gums stomach gut
  heart lungs liver kidney kidneys blood bladder spine jaw nose ear ears throat voice memory balance thumb finger fingers toe toes nails sinuses bmi cholesterol cycle metabolism joints muscles hormones thyroid`);
/** Look like a verb in its progressive form at the start of a clause, and are not, or say nothing. */
export const NOT_ONGOING =
  wordSet(`thing nothing something anything everything morning evening king ring during string building according regarding including assuming considering asking speaking being missing sing bring
  spring concerning following pending excluding depending seeing given loving feeling wondering thinking curious guessing wishing`);

/** What a thing of the user's may be said to be. */
export const OWN_MATTERS =
  wordSet(`name names surname nickname age birthday birthdate email address hometown home house flat apartment job work profession occupation employer company team office boss manager stack editor laptop
  computer phone car bike motorbike truck van boat budget deadline flight appointment meeting exam interview project thesis goal plan dream ambition target hobby hobbies pronouns timezone zone language tongue size weight height type
  diet religion faith major degree school university college salary rent goal favourite favorite go-to username handle website blog repo repository backend frontend database server staging production branch framework provider bank
  insurance shift shifts schedule hours commute garden kitchen instrument degree specialty speciality field industry sector role title startup business shop bakery restaurant doctor allergy condition blood heritage
  ethnicity nationality citizenship sign zodiac star os distro setup keyboard camera phone device console printer router tv oven car's mortgage pension currency region country city town neighbourhood neighborhood district
  client clients product app site website year office headquarters domain wedding anniversary thesis supervisor ticket tickets sport team club gym class course initials eyes hair shoe`);
/** One at a time, so a newer one takes the older one's place. */
export const SINGLE_MATTERS =
  wordSet(`name surname nickname age birthday email address hometown home job profession occupation employer company office boss manager budget deadline goal pronouns timezone zone size weight height diet
  religion salary rent editor landlord landlady wife husband spouse partner mother father mom dad mum car laptop phone backend frontend database repo major`);
/** Say what one thinks of something rather than what it is. */
export const WORTHLESS = wordSet(
  `bit little mess fool idiot wreck loss hurry rush moment noob dummy one ones kind sort way thing things problem pickle bot human nightmare disaster pain joke lot bombsite state shambles potato zombie goner lifesaver genius
  legend star saint angel monster beast goat hero champ joy delight treat blast riot scream hoot trip drag bummer shame pity mystery puzzle question issue matter must no-brainer hit miss flop fail guess issue concern`,
);
/** What belongs to who someone is. */
export const IDENTITY =
  wordSet(`name names surname nickname age birthday birthdate email address hometown home house job profession occupation employer pronouns timezone zone language tongue size weight height type diet religion faith
  major degree blood heritage ethnicity nationality citizenship sign zodiac star hair eyes initials allergy condition username handle group`);
/** Parts of what a team builds and runs. */
export const SYSTEMS =
  wordSet(`stack backend frontend back-end front-end repo repository monorepo codebase database db server servers api apis pipeline cluster app application site website service services infra infrastructure hosting cloud ci
  deployment deployments production prod staging environment platform framework orm cms crm erp queue cache broker warehouse data docs documentation wiki tracker tickets board schema gateway cdn dns domain vpn network
  customers users clients office team company budget contract`);
/** Where the user is at home; `this` points at nothing in the conversation. */
export const SURROUNDINGS = wordSet(
  'repo codebase project team company office country city house town village org household area neighbourhood neighborhood building school app team laptop machine',
);
/** What an answer or a proposal consists of. */
export const ANSWERS =
  wordSet(`version draft idea answer approach style tone option one ones way sound suggestion design title ending paragraph intro first second third fourth last previous latest former latter other
  number numbers original result results direction look wording part second sentence line bit choice example format layout outline plan flow structure concept`);
