import { Fragment } from 'react';
import { Icon } from '../../design/icon.tsx';
import type { Operation, Reference } from './document.ts';

export const schemeNames: Readonly<Record<string, string>> = {
  ApiKey: 'API key',
  AccessKey: 'Access key',
  Cookie: 'Dashboard sign-in',
};

/** The credential and the permission that a call takes. */
export function WhoMayCall({ operation, reference }: { readonly operation: Operation; readonly reference: Reference }) {
  const parts = Object.entries(operation.permissionsOfParts);
  return (
    <dl className="kv docs-who">
      <div className="kv-pair">
        <dt>Caller</dt>
        <dd className="row wrap">
          {operation.schemes.length === 0 && 'Anyone, without a key'}
          {operation.schemes.map((name) => (
            <span key={name} className="docs-scheme">
              <Icon name="key" />
              {schemeNames[name] ?? name}
              {reference.schemes[name]?.in === 'header' && <code>{reference.schemes[name].name}</code>}
            </span>
          ))}
        </dd>
      </div>
      {operation.permissions.length > 0 && (
        <div className="kv-pair">
          <dt>Permission</dt>
          <dd className="row wrap">
            {operation.permissions.map((name) => (
              <code key={name}>{name}</code>
            ))}
          </dd>
        </div>
      )}
      {parts.length > 0 && (
        <div className="kv-pair">
          <dt>Parts of it</dt>
          <dd>
            {parts.map(([part, names], at) => (
              <Fragment key={part}>
                {at > 0 && ', '}
                {part} with <code>{names.join(' and ')}</code>
              </Fragment>
            ))}
          </dd>
        </div>
      )}
    </dl>
  );
}
