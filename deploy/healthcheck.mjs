// The image has no shell and no curl: Node itself asks whether the service answers.
const port = process.env.COMMONPLACE_PORT || '8080';
const answer = await fetch(`http://127.0.0.1:${port}/api/v1/_health`, { signal: AbortSignal.timeout(4_000) }).catch(() => undefined);
process.exit(answer?.ok ? 0 : 1);
