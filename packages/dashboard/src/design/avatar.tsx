/** The first letters of a name. */
function initialsOf(name: string): string {
  const words = name.trim().split(/\s+/);
  const letters = words.length > 1 ? [words[0], words.at(-1)] : [words[0]];
  return letters
    .map((word) => Array.from(word ?? '')[0] ?? '')
    .join('')
    .toUpperCase();
}

export function Avatar({ name, square }: { readonly name: string; readonly square?: boolean }) {
  return (
    <span className={square ? 'avatar square' : 'avatar'} aria-hidden="true">
      {initialsOf(name) || '?'}
    </span>
  );
}
