import { createContext, useContext, useState } from 'react';
import { Badge } from '../../design/badge.tsx';
import { Icon } from '../../design/icon.tsx';
import { plural } from '../../design/numbers.ts';
import { choicesOf, limitsOf } from './limits.ts';
import { Prose } from './prose.tsx';
import { describeType, type Row, rowsOf, type Schema, type Schemas, type Shape, shapeOf } from './schema.ts';

/** What references point at. */
export const SchemasContext = createContext<Schemas>({});

/** What a caller sends says what is required; what comes back says what may be missing. */
type Side = 'request' | 'response';

const MOST_CHOICES = 10;
const literal = (value: unknown) => (typeof value === 'string' && value !== '' ? value : JSON.stringify(value));

/** Limits, default, example and choices, each where there is one. */
export function Rules({ shape }: { readonly shape: Shape }) {
  const schemas = useContext(SchemasContext);
  const [whole, setWhole] = useState(false);
  const { schema } = shape;
  const limits = limitsOf(schemas, shape);
  const choices = choicesOf(schemas, shape);
  const shown = whole ? choices : choices.slice(0, MOST_CHOICES);
  const example = schema.examples?.[0];
  const simple = example !== undefined && typeof example !== 'object' && choices.length === 0;
  return (
    <>
      {(limits.length > 0 || schema.default !== undefined || simple) && (
        <div className="docs-rules">
          {limits.map((limit) => (
            <span key={limit}>{limit}</span>
          ))}
          {schema.default !== undefined && (
            <span>
              default <code>{literal(schema.default)}</code>
            </span>
          )}
          {simple && (
            <span>
              for example <code>{literal(example)}</code>
            </span>
          )}
        </div>
      )}
      {choices.length > 0 && (
        <div className="docs-choices">
          <span>{schema.const === undefined ? 'One of' : 'Always'}</span>
          {shown.map((choice) => (
            <code key={literal(choice)}>{literal(choice)}</code>
          ))}
          {choices.length > shown.length && (
            <button type="button" className="link" onClick={() => setWhole(true)}>
              and {choices.length - shown.length} more
            </button>
          )}
        </div>
      )}
    </>
  );
}

function FieldRow({ row, side }: { readonly row: Row; readonly side: Side }) {
  const schemas = useContext(SchemasContext);
  const { name, kind, required, shape } = row;
  const rows = rowsOf(schemas, shape);
  return (
    <li className="docs-field">
      <div className="docs-field-head">
        <code className={kind === 'field' ? 'docs-name' : 'docs-name soft'}>{name}</code>
        <span className="docs-type">{describeType(schemas, shape)}</span>
        {required && side === 'request' && <Badge tone="warn">required</Badge>}
        {!required && kind === 'field' && side === 'response' && <span className="docs-type">may be absent</span>}
      </div>
      <Prose text={shape.schema.description} className="docs-text" />
      <Rules shape={shape} />
      {rows.length > 0 && <Disclosure rows={rows} side={side} of={name} />}
    </li>
  );
}

/** Rows are made when they are first opened, so that a schema that holds itself costs what is opened of it. */
function Disclosure({ rows, side, of }: { readonly rows: readonly Row[]; readonly side: Side; readonly of: string }) {
  const [open, setOpen] = useState(false);
  const noun = rows.every(({ kind }) => kind === 'variant') ? 'variant' : 'field';
  return (
    <>
      <button type="button" className="docs-disclosure" aria-expanded={open} onClick={() => setOpen(!open)}>
        <Icon name={open ? 'down' : 'right'} />
        {open ? 'Hide' : 'Show'} {plural(rows.length, noun)}
        <span className="sr-only"> of {of}</span>
      </button>
      {open && <Fields rows={rows} side={side} />}
    </>
  );
}

function Fields({ rows, side }: { readonly rows: readonly Row[]; readonly side: Side }) {
  return (
    <ul className="docs-fields">
      {rows.map((row) => (
        <FieldRow key={row.name} row={row} side={side} />
      ))}
    </ul>
  );
}

/** A schema as rows that open. */
export function SchemaTree({ schema, side }: { readonly schema: Schema; readonly side: Side }) {
  const schemas = useContext(SchemasContext);
  const shape = shapeOf(schemas, schema);
  const rows = rowsOf(schemas, shape);
  const plain = shape.schema.type === 'object' && rows.length > 0;
  return (
    <div className="docs-schema">
      {!plain && <div className="docs-type">{describeType(schemas, shape)}</div>}
      <Prose text={shape.schema.description} className="docs-text" />
      {!plain && <Rules shape={shape} />}
      {rows.length > 0 && <Fields rows={rows} side={side} />}
    </div>
  );
}
