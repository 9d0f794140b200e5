import type { AccessKey } from '@commonplace/client';
import { useQuery } from '@tanstack/react-query';
import { everyPermission, summaryOf } from '../../api/key-presets.ts';
import { agentsQuery } from '../../api/queries.ts';
import { Button } from '../../design/button.tsx';
import { IdText, KeyValues } from '../../design/code.tsx';
import { Dialog } from '../../design/dialog.tsx';
import { formatExact, Time } from '../../design/time.tsx';
import { Expiry } from './expiry.tsx';
import { PermissionMatrix } from './permission-matrix.tsx';

interface KeyDialogProps {
  readonly workspaceId: string;
  readonly accessKey: AccessKey;
  readonly madeBy: string;
  readonly onClose: () => void;
  readonly onRevoke?: (() => void) | undefined;
}

/** One key: all that it may, and never the key itself. */
export function KeyDialog({ workspaceId, accessKey, madeBy, onClose, onRevoke }: KeyDialogProps) {
  const { data: agents = [] } = useQuery({ ...agentsQuery(workspaceId), enabled: accessKey.agentIds !== undefined });
  const names = accessKey.agentIds?.map((id) => agents.find((agent) => agent.id === id)?.name ?? id);
  return (
    <Dialog
      open
      wide
      onClose={onClose}
      title={accessKey.name}
      lede={`${summaryOf(accessKey.permissions)}, ${accessKey.permissions.length} of ${everyPermission.length} permissions`}
      foot={
        <>
          {onRevoke && (
            <Button variant="danger" onClick={onRevoke}>
              Revoke key
            </Button>
          )}
          <Button onClick={onClose}>Close</Button>
        </>
      }
    >
      <KeyValues
        items={[
          ['Key', <code key="hint">{accessKey.hint}</code>],
          ['Id', <IdText key="id" id={accessKey.id} />],
          ['Agents', names ? names.join(', ') : 'All agents'],
          ['Created by', madeBy],
          ['Created', formatExact(accessKey.createdAt)],
          ['Last used', accessKey.lastUsedAt ? <Time key="used" at={accessKey.lastUsedAt} /> : 'Never used'],
          ['Expires', <Expiry key="expires" at={accessKey.expiresAt} />],
        ]}
      />
      <PermissionMatrix label={`Permissions of ${accessKey.name}`} held={new Set(accessKey.permissions)} />
    </Dialog>
  );
}
