import { useState } from 'react';
import { Card } from '../../design/page.tsx';
import { Switch } from '../../design/switch.tsx';
import { Segmented } from '../../design/tabs.tsx';
import { setTheme, type Theme, useTheme } from '../../design/theme.tsx';
import { setSingleKeys, singleKeysOn } from '../../shell/shortcuts.ts';

const themes: readonly { readonly value: Theme; readonly label: string }[] = [
  { value: 'system', label: 'System' },
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
];

/** Kept in this browser. */
export function AppearanceCard() {
  const theme = useTheme();
  const [keys, setKeys] = useState(singleKeysOn);
  return (
    <Card title="This browser">
      <div className="stack">
        <div className="row wrap">
          <span className="label">Appearance</span>
          <span className="push">
            <Segmented label="Appearance" items={themes} value={theme} onChange={setTheme} />
          </span>
        </div>
        <Switch
          label="Single keys"
          help="G then O goes to the overview, / to the search of a page, ? shows them all. Off, only keys with Ctrl or ⌘ do something."
          checked={keys}
          onChange={(event) => {
            setSingleKeys(event.target.checked);
            setKeys(event.target.checked);
          }}
        />
      </div>
    </Card>
  );
}
