import { useQuery } from '@tanstack/react-query';
import { Card } from '../design/page.tsx';
import { FillExampleButton } from './fill-example-button.tsx';
import { exampleQuery } from './presence.ts';
import { RemoveExampleButton } from './remove-example-button.tsx';

/** For pages that offer both: adding the example, and taking it out. */
export function ExampleDataCard({ workspaceId }: { readonly workspaceId: string }) {
  const { data: found } = useQuery(exampleQuery(workspaceId));
  return (
    <Card title="Example data">
      <div className="stack">
        <p className="soft">
          {found?.some
            ? 'This workspace holds the example: two agents of the made-up Millhouse Supply with their sessions, a prompt and three documents. Sessions and documents have the label example=true.'
            : 'See what a workspace looks like in use: two agents of the made-up Millhouse Supply with their sessions, a prompt and three documents. All of it is marked, and can be removed by one press.'}
        </p>
        <div className="row wrap">
          <FillExampleButton workspaceId={workspaceId} />
          <RemoveExampleButton workspaceId={workspaceId} />
        </div>
      </div>
    </Card>
  );
}
