/** A script as its statements: Citus hands the whole text that a statement came in on to the workers, and those take one at a time. */

/** What a semicolon in it does not end: comments, texts, quoted names, dollar-quoted bodies. */
const WHOLE = /--[^\n]*|\/\*[\s\S]*?\*\/|'(?:[^']|'')*'|"(?:[^"]|"")*"|\$(\w*)\$[\s\S]*?\$\1\$/y;

export function statementsOf(script: string): string[] {
  const statements: string[] = [];
  let start = 0;
  let hasText = false;
  for (let at = 0; at < script.length; ) {
    WHOLE.lastIndex = at;
    const whole = WHOLE.exec(script)?.[0];
    if (whole !== undefined) {
      if (!whole.startsWith('--') && !whole.startsWith('/*')) hasText = true;
      at += whole.length;
    } else if (script[at] === ';') {
      if (hasText) statements.push(script.slice(start, at).trim());
      start = ++at;
      hasText = false;
    } else {
      if (/\S/.test(script[at] as string)) hasText = true;
      at++;
    }
  }
  if (hasText) statements.push(script.slice(start).trim());
  return statements;
}
