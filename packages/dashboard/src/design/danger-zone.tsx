import type { ReactNode } from 'react';
import { Button } from './button.tsx';
import { Card } from './page.tsx';
import './danger-zone.css';

interface DangerZoneProps {
  /** "Delete this workspace" */
  readonly title: string;
  readonly action: string;
  readonly onPress: () => void;
  /** Why it can't be pressed; said beside it. */
  readonly refusal?: string | false | undefined;
  /** What goes with it. */
  readonly children: ReactNode;
}

/** What can't be undone stands apart, at the end of a page. */
export function DangerZone({ title, action, onPress, refusal, children }: DangerZoneProps) {
  return (
    <div className="danger-zone">
      <Card title={title}>
        <div className="danger-zone-row">
          <div className="soft">
            {children} {refusal && <span className="muted">{refusal}</span>}
          </div>
          <Button variant="danger" disabled={Boolean(refusal)} onClick={onPress}>
            {action}
          </Button>
        </div>
      </Card>
    </div>
  );
}
