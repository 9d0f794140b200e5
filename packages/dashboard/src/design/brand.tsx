/** The mark: a pilcrow whose second stem is the rule of a margin, in a square of ink. */
export function BrandMark() {
  return (
    <svg className="brand-mark" viewBox="0 0 22 22" aria-hidden="true">
      <rect className="page" width="22" height="22" rx="5" />
      <path className="sign" d="M12 4.5H9.25a3.75 3.75 0 0 0 0 7.5H10.5v5.5H12z" />
      <path className="rule" d="M14.75 4.5v13" />
    </svg>
  );
}
