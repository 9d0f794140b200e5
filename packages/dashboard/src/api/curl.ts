/** A request as a command that can be pasted into a shell. The key comes from a variable: no page knows one. */
import { serviceUrl } from './client.ts';

interface CurlRequest {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Below `/api/v1`. */
  readonly path: string;
  readonly body?: object;
  /** Of a form: `title=Refunds`, `file=@refunds.md`. */
  readonly form?: readonly string[];
}

/** Nothing in single quotes means anything to a shell, but the quote itself. */
const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;

export function curlOf({ method = 'GET', path, body, form }: CurlRequest): string {
  const lines = [
    `curl ${method === 'GET' || (method === 'POST' && (body || form)) ? '' : `-X ${method} `}${quoted(`${serviceUrl}/api/v1${path}`)}`,
    `-H "X-Access-Key: $COMMONPLACE_ACCESS_KEY"`,
    ...(body ? [`-H 'Content-Type: application/json'`, `-d ${quoted(JSON.stringify(body))}`] : []),
    ...(form ?? []).map((field) => `-F ${quoted(field)}`),
  ];
  return lines.join(' \\\n  ');
}
