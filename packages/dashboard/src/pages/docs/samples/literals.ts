/** JSON as it is written in other languages. */

const PLAIN_KEY = /^[A-Za-z_$][\w$]*$/;

/** As people write it in TypeScript: single quotes, keys without them. */
export function typescriptLiteral(value: unknown, indent = ''): string {
  const inner = `${indent}  `;
  if (typeof value === 'string') return `'${JSON.stringify(value).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;
  if (Array.isArray(value)) {
    if (value.length === 0) return '[]';
    if (value.every((each) => typeof each !== 'object')) return `[${value.map((each) => typescriptLiteral(each)).join(', ')}]`;
    return `[\n${value.map((each) => `${inner}${typescriptLiteral(each, inner)},\n`).join('')}${indent}]`;
  }
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const fields = Object.entries(value).map(([name, each]) => {
    const key = PLAIN_KEY.test(name) ? name : typescriptLiteral(name);
    return `${key}: ${typescriptLiteral(each, inner)}`;
  });
  const line = `{ ${fields.join(', ')} }`;
  if (fields.length === 0) return '{}';
  if (line.length < 60 && !line.includes('\n')) return line;
  return `{\n${fields.map((field) => `${inner}${field},\n`).join('')}${indent}}`;
}

export function pythonLiteral(value: unknown, indent = ''): string {
  const inner = `${indent}    `;
  if (value === null || value === undefined) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (Array.isArray(value)) {
    if (value.every((each) => typeof each !== 'object')) return `[${value.map((each) => pythonLiteral(each)).join(', ')}]`;
    return `[\n${value.map((each) => `${inner}${pythonLiteral(each, inner)},\n`).join('')}${indent}]`;
  }
  if (typeof value !== 'object') return JSON.stringify(value);
  const fields = Object.entries(value).map(([name, each]) => `${JSON.stringify(name)}: ${pythonLiteral(each, inner)}`);
  const line = `{${fields.join(', ')}}`;
  if (line.length < 60 && !line.includes('\n')) return line;
  return `{\n${fields.map((field) => `${inner}${field},\n`).join('')}${indent}}`;
}

/** agentId as AGENT_ID, or as agent_id. */
export const snakeCase = (name: string): string => name.replace(/([a-z0-9])([A-Z])/g, '$1_$2').toLowerCase();
export const variableName = (name: string): string =>
  snakeCase(name)
    .replace(/[^a-z0-9]+/g, '_')
    .toUpperCase();
