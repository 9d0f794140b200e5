import { useContext } from 'react';
import { Badge } from '../../design/badge.tsx';
import type { Operation, Parameter } from './document.ts';
import { Prose } from './prose.tsx';
import { describeType, shapeOf } from './schema.ts';
import { Rules, SchemasContext } from './schema-tree.tsx';

const places = [
  { place: 'path', title: 'Path parameters' },
  { place: 'query', title: 'Query parameters' },
  { place: 'header', title: 'Headers' },
] as const;

export function Parameters({ operation }: { readonly operation: Operation }) {
  return places.map(({ place, title }) => {
    const parameters = operation.parameters.filter((parameter) => parameter.in === place);
    if (parameters.length === 0) return null;
    return (
      <section key={place} className="docs-section" aria-labelledby={`docs-${place}`}>
        <h2 id={`docs-${place}`} className="docs-heading">
          {title}
        </h2>
        <ul className="docs-fields top">
          {parameters.map((parameter) => (
            <ParameterRow key={parameter.name} parameter={parameter} />
          ))}
        </ul>
      </section>
    );
  });
}

function ParameterRow({ parameter }: { readonly parameter: Parameter }) {
  const schemas = useContext(SchemasContext);
  const shape = shapeOf(schemas, parameter.schema);
  return (
    <li className="docs-field">
      <div className="docs-field-head">
        <code className="docs-name">{parameter.name}</code>
        <span className="docs-type">{describeType(schemas, shape)}</span>
        {parameter.required && <Badge tone="warn">required</Badge>}
      </div>
      <Prose text={parameter.description ?? shape.schema.description} className="docs-text" />
      <Rules shape={shape} />
    </li>
  );
}
