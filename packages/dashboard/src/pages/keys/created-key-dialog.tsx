import type { CreatedAccessKey } from '@commonplace/client';
import { serviceUrl } from '../../api/client.ts';
import { everyPermission, summaryOf } from '../../api/key-presets.ts';
import { CodeBlock, KeyValues } from '../../design/code.tsx';
import { ShownOnceDialog } from '../../design/shown-once-dialog.tsx';
import { Expiry } from './expiry.tsx';

/** What a program reads, as the clients know it. */
const environmentOf = (key: string) => `COMMONPLACE_URL=${serviceUrl}\nCOMMONPLACE_ACCESS_KEY=${key}`;

export function CreatedKeyDialog({ created, onDone }: { readonly created: CreatedAccessKey; readonly onDone: () => void }) {
  return (
    <ShownOnceDialog title="Your key is ready" secret={created.key} onDone={onDone}>
      <KeyValues
        items={[
          ['Name', created.name],
          ['May', `${summaryOf(created.permissions)}, ${created.permissions.length} of ${everyPermission.length} permissions`],
          ['Expires', <Expiry key="expires" at={created.expiresAt} />],
        ]}
      />
      <div className="stack tight">
        <div className="help">As the clients read it, or in the header X-Access-Key:</div>
        <CodeBlock label="Environment" text={environmentOf(created.key)} />
      </div>
    </ShownOnceDialog>
  );
}
