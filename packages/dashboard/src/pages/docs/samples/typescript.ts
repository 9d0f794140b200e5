import { type Call, pathIds } from './call.ts';
import { clientMethods } from './client-methods.ts';
import { typescriptLiteral, variableName } from './literals.ts';

/** By our own client. */
export function typescriptSample(call: Call): string {
  const method = clientMethods[call.operation.id];
  return method === undefined ? '// @commonplace/client has no method for this yet.' : clientSample(call, method);
}

function clientSample(call: Call, method: string): string {
  const { operation, ids } = call;
  const ofWorkspace = method.startsWith('workspaces.');
  const inWorkspace = operation.path.includes('{workspaceId}') && !ofWorkspace;
  const workspaceId = ids.workspaceId ? typescriptLiteral(ids.workspaceId) : 'process.env.COMMONPLACE_WORKSPACE_ID';
  const options = [
    `  baseUrl: ${typescriptLiteral(call.origin)},`,
    call.key && `  ${call.key.option}: process.env.${call.key.variable},`,
    inWorkspace && `  workspaceId: ${workspaceId},`,
  ].filter(Boolean);
  const named = pathIds(operation).filter((name) => name !== 'workspaceId' || ofWorkspace);
  const constants = named.map((name) => `const ${name} = ${typescriptLiteral(ids[name] ?? variableName(name))};`);
  const args = [...named, ...typescriptArguments(call)].join(', ');
  const lists = /^list/.test(operation.id);
  const answers = operation.responses.some(({ status, content }) => status.startsWith('2') && content);
  const sent = `commonplace.${method}(${args})`;
  return [
    ...(call.file ? ["import { readFile } from 'node:fs/promises';"] : []),
    "import { Commonplace } from '@commonplace/client';",
    '',
    'const commonplace = new Commonplace({',
    ...options,
    '});',
    ...(constants.length > 0 ? ['', ...constants] : []),
    '',
    lists ? `for await (const each of ${sent}) {\n  console.log(each);\n}` : answers ? `const answer = await ${sent};` : `await ${sent};`,
  ].join('\n');
}

function typescriptArguments({ operation, query, body, file, fields = [] }: Call): readonly string[] {
  if (file) {
    const options = { filename: file.filename, ...Object.fromEntries(fields) };
    return [`await readFile(${typescriptLiteral(file.filename)})`, typescriptLiteral(options)];
  }
  // An id of one's own is given as it is, all else by its name.
  const value = operation.id === 'deleteDocumentByExternalId' ? query[0]?.[1] : Object.fromEntries(query);
  const selects = query.length > 0 ? [typescriptLiteral(value)] : [];
  return body ? [...selects, typescriptLiteral(JSON.parse(body.text))] : selects;
}
