import type { AccessKey } from '@commonplace/client';
import { Link } from '@tanstack/react-router';
import { everyPermission, summaryOf } from '../../api/key-presets.ts';
import { Badge } from '../../design/badge.tsx';
import { IconButton } from '../../design/button.tsx';
import { Menu, MenuItem } from '../../design/menu.tsx';
import { plural } from '../../design/numbers.ts';
import { Table } from '../../design/page.tsx';
import { Time } from '../../design/time.tsx';
import { Expiry } from './expiry.tsx';

interface KeysTableProps {
  readonly keys: readonly AccessKey[];
  readonly madeBy: (key: AccessKey) => string;
  readonly onRevoke?: (key: AccessKey) => void;
}

export function KeysTable({ keys, madeBy, onRevoke }: KeysTableProps) {
  return (
    <Table label="Access keys" columns={['Name', 'Key', 'May', 'Created by', 'Last used', 'Expires', ...(onRevoke ? [''] : [])]}>
      {keys.map((key) => (
        <tr key={key.id}>
          <td className="title key-name">
            <Link from="/w/$workspaceId/keys" to="/w/$workspaceId/keys" search={(old) => ({ ...old, key: key.id })} data-stop dir="auto">
              {key.name}
            </Link>
          </td>
          <td className="mono muted nowrap">{key.hint}</td>
          <td className="nowrap">
            {summaryOf(key.permissions)}{' '}
            <span className="muted">
              {key.permissions.length} of {everyPermission.length}
            </span>
            {key.agentIds && (
              <>
                {' '}
                <Badge tone="outline">{plural(key.agentIds.length, 'agent')}</Badge>
              </>
            )}
          </td>
          <td className="nowrap hide-phone">{madeBy(key)}</td>
          <td className="nowrap">{key.lastUsedAt ? <Used at={key.lastUsedAt} /> : <span className="muted">Never used</span>}</td>
          <td className="nowrap">
            <span className="phone-only">Expires </span>
            <Expiry at={key.expiresAt} />
          </td>
          {onRevoke && (
            <td className="end row-menu">
              <Menu trigger={<IconButton icon="more" label={`Actions for ${key.name}`} small />}>
                <MenuItem icon="trash" danger onSelect={() => onRevoke(key)}>
                  Revoke key
                </MenuItem>
              </Menu>
            </td>
          )}
        </tr>
      ))}
    </Table>
  );
}

function Used({ at }: { readonly at: string }) {
  return (
    <>
      <span className="phone-only">Used </span>
      <Time at={at} />
    </>
  );
}
