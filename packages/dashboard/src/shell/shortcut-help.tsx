import { Dialog } from '../design/dialog.tsx';
import { goToKeys, isApple } from './shortcuts.ts';

const modifier = isApple ? '⌘' : 'Ctrl';

const groups = [
  {
    title: 'Anywhere',
    keys: [
      [[modifier, 'K'], 'Search or run a command'],
      [['/'], 'The search or filter of the page'],
      [['Esc'], 'Close the topmost'],
      [['?'], 'Show these keys'],
    ],
  },
  { title: 'Go to', keys: goToKeys.map(({ key, page }) => [['G', key], page] as const) },
  {
    title: 'In a list or a conversation',
    keys: [
      [['J'], 'Next'],
      [['K'], 'Previous'],
      [['Enter'], 'Open'],
      [['['], 'Previous memory, version or hit'],
      [[']'], 'Next memory, version or hit'],
    ],
  },
  {
    title: 'Writing',
    keys: [
      [['C'], 'Create'],
      [['E'], 'Edit or rename'],
      [[modifier, 'Enter'], 'Send the form or save the version'],
    ],
  },
] as const;

export function ShortcutHelp({ onClose }: { readonly onClose: () => void }) {
  return (
    <Dialog open onClose={onClose} title="Keyboard" lede="Single keys can be switched off in your account.">
      <div className="shortcut-groups">
        {groups.map(({ title, keys }) => (
          <section key={title} className="stack tight">
            <h3 className="section-title">{title}</h3>
            <dl className="kv">
              {keys.map(([pressed, does]) => (
                <div key={does} className="kv-pair">
                  <dt className="row">
                    {pressed.map((key) => (
                      <kbd key={key} className="kbd">
                        {key}
                      </kbd>
                    ))}
                  </dt>
                  <dd>{does}</dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  );
}
