import { type Call, pathIds } from './call.ts';
import { pythonLiteral, snakeCase, variableName } from './literals.ts';

/** With the package that everyone has. */
export function pythonSample(call: Call): string {
  const { operation, ids, key } = call;
  const names = pathIds(operation);
  const constants = names.map((name) => `${snakeCase(name)} = ${pythonLiteral(ids[name] ?? variableName(name))}`);
  const path = operation.path.replace(/\{(\w+)\}/g, (_, name: string) => `{${snakeCase(name)}}`);
  const args = [
    `    ${names.length > 0 ? 'f' : ''}${pythonLiteral(call.origin + path)},`,
    key && `    headers={"${key.header}": os.environ["${key.variable}"]},`,
    call.query.length > 0 && `    params=${pythonLiteral(Object.fromEntries(call.query), '    ')},`,
    call.body && `    json=${pythonLiteral(JSON.parse(call.body.text), '    ')},`,
    call.fields && `    data=${pythonLiteral(Object.fromEntries(call.fields), '    ')},`,
    call.file && `    files={"${call.file.name}": open("${call.file.filename}", "rb")},`,
  ].filter(Boolean);
  const answers = operation.responses.some(({ status, content }) => status.startsWith('2') && content?.['application/json']);
  return [
    ...(key ? ['import os', ''] : []),
    'import requests',
    '',
    ...(constants.length > 0 ? [...constants, ''] : []),
    `response = requests.${operation.method.toLowerCase()}(`,
    ...args,
    ')',
    'response.raise_for_status()',
    ...(answers ? ['print(response.json())'] : []),
  ].join('\n');
}
