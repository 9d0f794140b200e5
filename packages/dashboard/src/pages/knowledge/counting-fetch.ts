/** `fetch` for one upload that says how much of it was sent. Browsers tell that to `XMLHttpRequest` alone, unless they stream by HTTP/2. */

const WITHOUT_BODY = [204, 205, 304];

export function countingFetch(onSent: (share: number) => void): typeof fetch {
  return (input, init = {}) =>
    new Promise<Response>((resolve, reject) => {
      const request = new XMLHttpRequest();
      request.open(init.method ?? 'GET', String(input));
      for (const [name, value] of new Headers(init.headers)) request.setRequestHeader(name, value);
      request.responseType = 'arraybuffer';
      request.upload.onprogress = ({ loaded, total }) => onSent(loaded / total);
      request.onload = () => resolve(responseOf(request));
      request.onerror = () => reject(new TypeError('the connection failed'));
      request.onabort = () => reject(new DOMException('The upload was stopped', 'AbortError'));
      init.signal?.addEventListener('abort', () => request.abort(), { once: true });
      if (init.signal?.aborted) request.abort();
      else request.send(init.body as XMLHttpRequestBodyInit);
    });
}

function responseOf(request: XMLHttpRequest): Response {
  const lines = request.getAllResponseHeaders().trim().split(/\r?\n/);
  const headers = new Headers(
    lines.map((line): [string, string] => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1).trim()]),
  );
  const { status } = request;
  return new Response(WITHOUT_BODY.includes(status) ? null : (request.response as ArrayBuffer), { status, headers });
}
