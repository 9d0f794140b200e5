import { useContext } from 'react';
import { Select, TextArea, TextField } from '../../../design/field.tsx';
import type { Operation, Parameter } from '../document.ts';
import { choicesOf } from '../limits.ts';
import { describeType, shapeOf } from '../schema.ts';
import { SchemasContext } from '../schema-tree.tsx';
import { type FormState, valueKey } from './form-state.ts';

interface RequestFieldsProps {
  readonly operation: Operation;
  readonly state: FormState;
  readonly change: (changes: Partial<FormState>) => void;
  readonly setValue: (key: string, value: string) => void;
}

const MOST_ROWS = 16;

/** A field for each parameter, and one for the body. */
export function RequestFields({ operation, state, change, setValue }: RequestFieldsProps) {
  const { body, parameters } = operation;
  const first = parameters.filter((parameter) => parameter.in !== 'header');
  const headers = parameters.filter((parameter) => parameter.in === 'header');
  const field = (parameter: Parameter) => (
    <ParameterField
      key={valueKey(parameter)}
      parameter={parameter}
      value={state.values[valueKey(parameter)] ?? ''}
      onChange={(value) => setValue(valueKey(parameter), value)}
    />
  );
  return (
    <>
      {first.length > 0 && <div className="fields">{first.map(field)}</div>}
      {body?.type === 'multipart/form-data' && <FormParts operation={operation} state={state} change={change} setValue={setValue} />}
      {body && body.type !== 'multipart/form-data' && (
        <TextArea
          label={`Body, ${body.type}`}
          className="mono"
          rows={Math.min(MOST_ROWS, state.body.split('\n').length + 1)}
          spellCheck={false}
          value={state.body}
          onChange={(event) => change({ body: event.target.value })}
        />
      )}
      {headers.length > 0 && (
        <details className="docs-more">
          <summary>Headers</summary>
          <div className="fields">{headers.map(field)}</div>
        </details>
      )}
    </>
  );
}

interface ParameterFieldProps {
  readonly parameter: Parameter;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

function ParameterField({ parameter, value, onChange }: ParameterFieldProps) {
  const schemas = useContext(SchemasContext);
  const shape = shapeOf(schemas, parameter.schema);
  const { type } = shape.schema;
  const choices = type === 'boolean' ? [true, false] : choicesOf(schemas, shape);
  // Without what stands in its path a call can't be made; what else is missing, the service says.
  const text = { label: parameter.name, required: parameter.in === 'path', ...(!parameter.required && { optional: true }) };
  if (choices.length > 0 && type !== 'array') {
    const options = ['', ...choices.map(String)].map((each) => ({ value: each, label: each || 'Not set' }));
    return <Select {...text} value={value} options={options} onChange={(event) => onChange(event.target.value)} />;
  }
  const hint = type === 'object' ? 'team=support, user=42' : describeType(schemas, shape);
  return (
    <TextField
      {...text}
      value={value}
      placeholder={hint}
      autoComplete="off"
      spellCheck={false}
      onChange={(event) => onChange(event.target.value)}
    />
  );
}

function FormParts({ operation, state, change, setValue }: RequestFieldsProps) {
  const { properties = {}, required = [] } = operation.body?.schema ?? {};
  return (
    <div className="fields">
      {Object.entries(properties).map(([name, schema]) => {
        const text = { label: name, ...(!required.includes(name) && { optional: true }) };
        if (schema.format === 'binary')
          return <TextField key={name} {...text} type="file" required onChange={(event) => change({ file: event.target.files?.[0] })} />;
        const key = `form ${name}`;
        return <TextField key={name} {...text} value={state.values[key] ?? ''} onChange={(event) => setValue(key, event.target.value)} />;
      })}
    </div>
  );
}
