import type { Member } from '@commonplace/client';
import type { Role } from '../../api/permissions.ts';
import { Avatar } from '../../design/avatar.tsx';
import { Badge } from '../../design/badge.tsx';
import { IconButton } from '../../design/button.tsx';
import { Menu, MenuItem } from '../../design/menu.tsx';
import { Time } from '../../design/time.tsx';
import { roleNames } from '../../shell/workspace-switcher.tsx';
import { rolesToGive } from './roles.ts';

interface MemberRowProps {
  readonly member: Member;
  readonly isMe: boolean;
  readonly ownRole: Role;
  /** While the service is asked, the row shows what holds. */
  readonly changing: boolean;
  readonly onChangeRole: (role: Role) => void;
  readonly onRemove: () => void;
}

export function MemberRow({ member, isMe, ownRole, changing, onChangeRole, onRemove }: MemberRowProps) {
  const choices = rolesToGive(ownRole);
  const mayTouch = choices.includes(member.role);
  return (
    <tr>
      <td className="title">
        <span className="row">
          <Avatar name={member.name} />
          <span className="truncate" dir="auto">
            {member.name}
          </span>
          {isMe && <Badge tone="outline">You</Badge>}
        </span>
      </td>
      <td className="member-email">{member.email}</td>
      <td>
        {mayTouch ? (
          <select
            className="select auto small-select"
            data-stop
            aria-label={`Role of ${member.name}`}
            value={member.role}
            disabled={changing}
            onChange={(event) => onChangeRole(event.target.value as Role)}
          >
            {choices.map((role) => (
              <option key={role} value={role}>
                {roleNames[role]}
              </option>
            ))}
          </select>
        ) : (
          roleNames[member.role]
        )}
      </td>
      <td className="nowrap">
        <span className="phone-only">Joined </span>
        <Time at={member.createdAt} />
      </td>
      <td className="end row-menu">
        {(mayTouch || isMe) && (
          <Menu trigger={<IconButton icon="more" label={`Actions for ${member.name}`} small />}>
            <MenuItem icon={isMe ? 'arrow' : 'trash'} danger onSelect={onRemove}>
              {isMe ? 'Leave workspace' : 'Remove member'}
            </MenuItem>
          </Menu>
        )}
      </td>
    </tr>
  );
}
