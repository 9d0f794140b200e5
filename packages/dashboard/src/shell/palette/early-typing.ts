/** What is typed after the palette was asked for and before it has the focus: it goes into its field, and is no shortcut. */

let typed = '';

function collect(event: KeyboardEvent): void {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
  if (event.key === 'Backspace') typed = typed.slice(0, -1);
  else if ([...event.key].length === 1) typed += event.key;
  else return;
  event.preventDefault();
  event.stopImmediatePropagation();
}

export function collectTyping(): void {
  typed = '';
  window.addEventListener('keydown', collect, true);
}

/** What was collected; nothing more is. */
export function takeTyping(): string {
  window.removeEventListener('keydown', collect, true);
  const taken = typed;
  typed = '';
  return taken;
}
