/** A first look at a text, without tagging it: whoever only wants to know whether it is worth a closer one need not load the language model. */

const MAY_FORGET =
  /\b(?:f[roe]+g|un-?(?:learn|rem)|d[el]+t|er[ea]+[sc]|rem|wip|purg|scrub|clear|drop|disc|dis?reg|scra|strik|expung|lose|ditch|redact|trash|get rid|take|cross|throw|put|let\b|ignor|never ?mind|nevermind|nvm|pretend|treat|act|keep|kept|stor|sav|record|retain|log|memori|hold|hang|rather|as if|as though)/i;

/** Cheaply, and rather too often than not. */
export function mayAskToForget(text: string): boolean {
  return MAY_FORGET.test(text);
}
