import { type Call, pathIds, queryText } from './call.ts';
import { variableName } from './literals.ts';

const singleQuoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;

/** A placeholder is a shell variable, so that a pasted line runs once the variables are set. */
const variableOf = (id: string) => (id === 'workspaceId' ? '$COMMONPLACE_WORKSPACE_ID' : `$${variableName(id)}`);

export function curlSample(call: Call): string {
  const { operation, ids, key } = call;
  const path = pathIds(operation).reduce(
    (text, name) => text.replace(`{${name}}`, () => (ids[name] ? encodeURIComponent(ids[name]) : variableOf(name))),
    operation.path,
  );
  const start = operation.method === 'GET' ? 'curl' : `curl -X ${operation.method}`;
  const lines = [start, `"${call.origin}${path}${queryText(call.query)}"`];
  if (key) lines.push(`-H "${key.header}: $${key.variable}"`);
  for (const [name, value] of call.headers) lines.push(`-H ${singleQuoted(`${name}: ${value}`)}`);
  for (const [name, value] of call.fields ?? []) lines.push(`-F ${singleQuoted(`${name}=${value}`)}`);
  if (call.file) lines.push(`-F ${singleQuoted(`${call.file.name}=@${call.file.filename}`)}`);
  if (call.body) lines.push(`-H ${singleQuoted(`Content-Type: ${call.body.type}`)}`, `-d ${singleQuoted(call.body.text)}`);
  return lines.join(' \\\n  ');
}
