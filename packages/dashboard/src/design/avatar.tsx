/** The first letters of the first and the last word. */
function initialsOf(name: string): string {
  const words = name.match(/[\p{L}\p{N}]+/gu) ?? [];
  const letters = words.length > 1 ? [words[0], words.at(-1)] : [words[0]];
  return letters
    .map((word) => Array.from(word ?? '')[0] ?? '')
    .join('')
    .toUpperCase();
}

export function Avatar({ name, square }: { readonly name: string; readonly square?: boolean }) {
  return (
    <span className={square ? 'avatar square' : 'avatar'} aria-hidden="true">
      {(square ? initialsOf(name).slice(0, 1) : initialsOf(name)) || '?'}
    </span>
  );
}
