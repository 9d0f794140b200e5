/** What comes after `I am`, by what it says. */

import { wordSet } from './sets.ts';

export const MARITAL = wordSet('married single divorced widowed engaged separated relationship');
export const DIETS = wordSet('vegetarian vegan pescatarian fruitarian omnivore carnivore keto paleo kosher halal teetotal sober');
export const EMPLOYMENT = wordSet('retired unemployed self-employed freelance freelancing employed');
export const FIELDS = wordSet(
  'finance tech marketing sales hr it law medicine education academia insurance banking logistics advertising healthcare engineering publishing retail hospitality construction consulting accounting media procurement government journalism politics agriculture',
);
export const CIRCLES = wordSet(
  'band choir club team army navy union orchestra group committee board guild troupe reserves military police marines',
);
export const NOT_ON = wordSet(
  'step question exercise problem puzzle part task chapter level time top track fire edge board hold mobile point page line way phone hand sale earth purpose call it that this one',
);
export const LEAVES = wordSet('call vacation holiday leave pto sabbatical crutches deadline shift duty strike probation furlough');
export const REGIMES = wordSet('diet medication insulin statins antidepressants antibiotics budget warfarin metformin');
export const PASSIVE_EVENTS = wordSet(
  'promoted hired fired accepted rejected diagnosed laid admitted elected invited selected nominated awarded offered made appointed transferred adopted',
);
export const LASTING_PARTICIPLES = wordSet('enrolled subscribed responsible certified licensed qualified trained registered raised');
