/** Every icon: 16 px, drawn by strokes in the colour of the text around it. */

const drawings = {
  overview: (
    <>
      <path d="M2.5 13.5h11M4 11V7.5M8 11V3.5M12 11V6" />
    </>
  ),
  agents: (
    <>
      <rect x="3" y="5.5" width="10" height="7.5" rx="2" />
      <path d="M8 5.5V3M6 9v.5M10 9v.5" />
      <circle cx="8" cy="2.5" r=".6" />
    </>
  ),
  sessions: (
    <>
      <path d="M2.5 4.5a1.5 1.5 0 0 1 1.5-1.5h8a1.5 1.5 0 0 1 1.5 1.5v5A1.5 1.5 0 0 1 12 11H7.5l-3 2.5V11H4a1.5 1.5 0 0 1-1.5-1.5z" />
    </>
  ),
  prompts: (
    <>
      <path d="M13.5 2.5c-4 .3-7.3 2.6-8.5 7L4 13.5M5 9.5h3.5c2.5-1 4.3-3.5 5-7" />
    </>
  ),
  knowledge: (
    <>
      <path d="M8 4.2C6.7 3.3 4.8 3 2.5 3v9c2.3 0 4.2.3 5.5 1.2 1.3-.9 3.2-1.2 5.5-1.2V3c-2.3 0-4.2.3-5.5 1.2zM8 4.2v9" />
    </>
  ),
  context: (
    <>
      <path d="M8 2.5 2.5 5.5 8 8.5l5.5-3zM2.5 8.2l5.5 3 5.5-3M2.5 10.9l5.5 2.6 5.5-2.6" />
    </>
  ),
  search: (
    <>
      <circle cx="7" cy="7" r="4.25" />
      <path d="m10.2 10.2 3.3 3.3" />
    </>
  ),
  members: (
    <>
      <circle cx="6" cy="5.5" r="2.25" />
      <path d="M2 13c.2-2.4 1.8-3.75 4-3.75S9.8 10.6 10 13M10.5 3.5a2.1 2.1 0 0 1 0 4M11.8 9.6c1.3.5 2.1 1.7 2.2 3.4" />
    </>
  ),
  key: (
    <>
      <circle cx="5.25" cy="10.75" r="2.75" />
      <path d="m7.3 8.7 6.2-6.2M11 5l1.8 1.8" />
    </>
  ),
  webhook: (
    <>
      <path d="M6.5 9.5a2.5 2.5 0 0 1 0-3.5l2-2a2.5 2.5 0 0 1 3.5 3.5l-.7.7M9.5 6.5a2.5 2.5 0 0 1 0 3.5l-2 2A2.5 2.5 0 0 1 4 8.5l.7-.7" />
    </>
  ),
  audit: (
    <>
      <path d="M4 2.5h8v11l-1.6-1-1.2 1-1.2-1-1.2 1-1.2-1-1.6 1zM6 5.5h4M6 8h4" />
    </>
  ),
  settings: (
    <>
      <path d="M2.5 5h6M12 5h1.5M2.5 11H4M7.5 11h6" />
      <circle cx="10.25" cy="5" r="1.6" />
      <circle cx="5.75" cy="11" r="1.6" />
    </>
  ),
  updown: (
    <>
      <path d="m5 6 3-3 3 3M5 10l3 3 3-3" />
    </>
  ),
  up: (
    <>
      <path d="m4 10 4-4 4 4" />
    </>
  ),
  down: (
    <>
      <path d="m4 6 4 4 4-4" />
    </>
  ),
  right: (
    <>
      <path d="m6 4 4 4-4 4" />
    </>
  ),
  left: (
    <>
      <path d="m10 4-4 4 4 4" />
    </>
  ),
  plus: (
    <>
      <path d="M8 3v10M3 8h10" />
    </>
  ),
  check: (
    <>
      <path d="m3 8.5 3.3 3.3L13 5" />
    </>
  ),
  x: (
    <>
      <path d="m4 4 8 8M12 4l-8 8" />
    </>
  ),
  copy: (
    <>
      <rect x="5.5" y="5.5" width="8" height="8" rx="1.5" />
      <path d="M10.5 5.5V4A1.5 1.5 0 0 0 9 2.5H4A1.5 1.5 0 0 0 2.5 4v5A1.5 1.5 0 0 0 4 10.5h1.5" />
    </>
  ),
  theme: (
    <>
      <circle cx="8" cy="8" r="5.25" />
      <path d="M8 2.75v10.5a5.25 5.25 0 0 0 0-10.5z" fill="currentColor" />
    </>
  ),
  alert: (
    <>
      <path d="M8 2.5 14 13H2zM8 6.5v3M8 11.2v.1" />
    </>
  ),
  info: (
    <>
      <circle cx="8" cy="8" r="5.5" />
      <path d="M8 7.5v3.5M8 5.2v.1" />
    </>
  ),
  file: (
    <>
      <path d="M4 2.5h5l3 3v8H4zM9 2.5v3h3M6 8.5h4M6 11h2.5" />
    </>
  ),
  upload: (
    <>
      <path d="M8 10.5v-8M5 5.5l3-3 3 3M2.5 10v3.5h11V10" />
    </>
  ),
  more: (
    <>
      <circle cx="3.5" cy="8" r=".75" fill="currentColor" />
      <circle cx="8" cy="8" r=".75" fill="currentColor" />
      <circle cx="12.5" cy="8" r=".75" fill="currentColor" />
    </>
  ),
  arrow: (
    <>
      <path d="M3 8h10M9 4l4 4-4 4" />
    </>
  ),
  clock: (
    <>
      <circle cx="8" cy="8" r="5.5" />
      <path d="M8 5v3.2l2 1.3" />
    </>
  ),
  menu: (
    <>
      <path d="M2.5 4.5h11M2.5 8h11M2.5 11.5h11" />
    </>
  ),
  refresh: (
    <>
      <path d="M13 8a5 5 0 1 1-1.5-3.6L13 6M13 2.8V6H9.8" />
    </>
  ),
  trash: (
    <>
      <path d="M3 4.5h10M6.5 4.5v-2h3v2M4.5 4.5l.6 9h5.8l.6-9M6.8 7.2v3.6M9.2 7.2v3.6" />
    </>
  ),
  edit: (
    <>
      <path d="M3 13h2.5l7-7L10 3.5l-7 7zM8.5 5 11 7.5" />
    </>
  ),
  fork: (
    <>
      <circle cx="4.5" cy="3.8" r="1.3" />
      <circle cx="11.5" cy="3.8" r="1.3" />
      <circle cx="8" cy="12.2" r="1.3" />
      <path d="M4.5 5.2c0 2.5 3.5 2 3.5 5.5M11.5 5.2c0 2.5-3.5 2-3.5 5.5" />
    </>
  ),
  enter: (
    <>
      <path d="M13 3.5V8a1.5 1.5 0 0 1-1.5 1.5H3.5M6.5 6.5l-3 3 3 3" />
    </>
  ),
  mark: (
    <>
      <path d="M4.5 2.5h7v11L8 10.8l-3.5 2.7z" />
    </>
  ),
  docs: (
    <>
      <path d="M6.5 3h-4v10.5H13v-4M9 2.5h4.5V7M13.5 2.5l-6 6" />
    </>
  ),
  jobs: (
    <>
      <path d="M8 1.8v2M8 12.2v2M1.8 8h2M12.2 8h2M3.6 3.6 5 5M11 11l1.4 1.4M3.6 12.4 5 11M11 5l1.4-1.4" />
    </>
  ),
} as const;

export type IconName = keyof typeof drawings;

export function Icon({ name, className }: { readonly name: IconName; readonly className?: string }) {
  return (
    <svg className={className ? `icon ${className}` : 'icon'} viewBox="0 0 16 16" aria-hidden="true">
      {drawings[name]}
    </svg>
  );
}
