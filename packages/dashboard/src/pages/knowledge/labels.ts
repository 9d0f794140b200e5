/** Labels as people type them: `lang=en, public`. */

export function labelsIn(text: string): string[] {
  const labels = text.split(/[,;\n]/).map((label) => label.trim());
  return [...new Set(labels.filter((label) => label !== ''))];
}

/** As a search takes them; a bare word is a key with an empty value. */
export function labelPairs(text: string): Record<string, string> {
  return Object.fromEntries(
    labelsIn(text).map((label) => {
      const equals = label.indexOf('=');
      return equals < 0 ? [label, ''] : [label.slice(0, equals).trim(), label.slice(equals + 1).trim()];
    }),
  );
}
