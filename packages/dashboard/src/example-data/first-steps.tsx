import { Link } from '@tanstack/react-router';
import { buttonClass } from '../design/button.tsx';
import { FillExampleButton } from './fill-example-button.tsx';

/** What an empty page of a new workspace offers: the first message, or the example. */
export function FirstSteps({ workspaceId }: { readonly workspaceId: string }) {
  return (
    <div className="row wrap first-steps">
      <Link to="/w/$workspaceId/start" params={{ workspaceId }} className={buttonClass({ variant: 'primary' })}>
        Get started
      </Link>
      <FillExampleButton workspaceId={workspaceId} />
    </div>
  );
}
