import type { Permission } from '@commonplace/client';
import { groups, permissionAt, verbs } from '../../api/key-presets.ts';

interface PermissionMatrixProps {
  readonly label: string;
  readonly held: ReadonlySet<Permission>;
  /** Without it, it only shows. */
  readonly onChange?: (held: ReadonlySet<Permission>) => void;
}

/** Every permission that a key can hold: what, across; which way, down. */
export function PermissionMatrix({ label, held, onChange }: PermissionMatrixProps) {
  const toggle = (permission: Permission) => {
    const next = new Set(held);
    if (!next.delete(permission)) next.add(permission);
    onChange?.(next);
  };
  return (
    <div className="card perm-card">
      <table className="perm" aria-label={label}>
        <thead>
          <tr>
            <th scope="col">
              <span className="sr-only">Group</span>
            </th>
            {verbs.map((verb) => (
              <th key={verb} scope="col">
                {verb}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {groups.map((group) => (
            <tr key={group}>
              <th scope="row">{group}</th>
              {verbs.map((verb) => {
                const permission = permissionAt(group, verb);
                return (
                  <td key={verb}>
                    {permission ? (
                      <label className="check" title={permission}>
                        <input
                          type="checkbox"
                          aria-label={`${verb} ${group.toLowerCase()}`}
                          checked={held.has(permission)}
                          disabled={!onChange}
                          onChange={() => toggle(permission)}
                        />
                      </label>
                    ) : (
                      <span className="na" aria-hidden="true">
                        –
                      </span>
                    )}
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
