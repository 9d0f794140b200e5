import { Link } from '@tanstack/react-router';
import { serviceUrl } from '../../api/client.ts';
import { CopyButton } from '../../design/copy-button.tsx';
import { plural } from '../../design/numbers.ts';
import { useWindowTitle } from '../../design/page.tsx';
import { DOCUMENT_URL, type Reference } from './document.ts';
import { InlineText, Prose } from './prose.tsx';
import { schemeNames } from './who-may-call.tsx';

/** What every path of the API begins with. */
const API_PREFIX = DOCUMENT_URL.replace('/openapi.json', '');

/** Where to begin: the address, the keys, and what there is. */
export function HomeView({ reference }: { readonly reference: Reference }) {
  useWindowTitle('API reference');
  const address = serviceUrl + API_PREFIX;
  return (
    <div className="stack loose docs-narrow">
      <div>
        <h1 className="page-title">API reference</h1>
        <Prose text={reference.description} className="page-lede" />
      </div>
      <section className="stack tight" aria-labelledby="docs-address">
        <h2 id="docs-address" className="docs-heading">
          Address
        </h2>
        <div className="docs-endpoint">
          <code className="docs-path">{address}</code>
          <CopyButton text={address} label="Copy the address" iconOnly />
        </div>
      </section>
      <section className="stack tight" aria-labelledby="docs-keys">
        <h2 id="docs-keys" className="docs-heading">
          Authentication
        </h2>
        <div className="docs-cards three">
          {Object.entries(reference.schemes).map(([name, scheme]) => (
            <div key={name} className="card docs-card">
              <h3 className="section-title">{schemeNames[name] ?? name}</h3>
              <code>{scheme.in === 'header' ? `${scheme.name}: …` : scheme.name}</code>
              <p className="soft">{scheme.description}</p>
            </div>
          ))}
        </div>
      </section>
      <section className="stack tight" aria-labelledby="docs-tags">
        <h2 id="docs-tags" className="docs-heading">
          What there is
        </h2>
        <div className="docs-cards">
          {reference.tags.map((tag) => (
            <Link key={tag.name} to="/docs" search={{ tag: tag.name }} className="card docs-card">
              <span className="section-title">{tag.name}</span>
              <span className="soft">
                <InlineText text={tag.description ?? ''} />
              </span>
              <span className="muted small">{plural(tag.operations.length, 'operation')}</span>
            </Link>
          ))}
        </div>
      </section>
      <p className="muted">
        Version {reference.version}. This page is made from the service’s own{' '}
        <a href={DOCUMENT_URL} download="openapi.json">
          OpenAPI document
        </a>
        .
      </p>
    </div>
  );
}
