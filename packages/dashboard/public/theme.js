// Before the first paint, so that a page never flashes in the other theme. A file of its own: no script is inline.
try {
  const theme = localStorage.getItem('commonplace:theme');
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
} catch {
  // Storage may be forbidden; the system's theme it is.
}
