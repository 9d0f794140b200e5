import { APIError } from '@commonplace/client';
import { Link } from '@tanstack/react-router';
import { Button, IconButton } from '../../design/button.tsx';
import { Progress } from '../../design/feedback.tsx';
import { Icon } from '../../design/icon.tsx';
import { formatBytes, formatCount, plural } from '../../design/numbers.ts';
import type { FileUpload, UploadQueue } from './upload-queue.ts';

/** Of those that wait or are done; what is under way or was refused always shows. */
const MOST_QUIET_ROWS = 4;

interface UploadListProps {
  readonly workspaceId: string;
  readonly uploads: readonly FileUpload[];
  readonly queue: UploadQueue;
}

export function UploadList({ workspaceId, uploads, queue }: UploadListProps) {
  const sent = uploads.filter(({ state }) => state === 'sent');
  const refused = uploads.filter(({ state }) => state === 'refused');
  const sending = uploads.filter(({ state }) => state === 'sending');
  const waiting = uploads.filter(({ state }) => state === 'waiting');
  const shown = [...refused, ...sending, ...waiting.slice(0, MOST_QUIET_ROWS), ...sent.slice(-MOST_QUIET_ROWS).reverse()];
  const hidden = uploads.length - shown.length;
  const isBusy = sending.length + waiting.length > 0;
  return (
    <>
      <div role="status" className="sr-only">
        {uploads.length > 0 && !isBusy && `${plural(sent.length, 'file')} uploaded, ${formatCount(refused.length)} refused`}
      </div>
      {uploads.length > 0 && (
        <div className="upload-list">
          <div className="row upload-total">
            <strong className="num">
              {formatCount(sent.length)} of {plural(uploads.length, 'file')} uploaded
            </strong>
            {refused.length > 0 && <span className="file-error">{formatCount(refused.length)} refused</span>}
            <span className="push row">
              {isBusy ? (
                <Button small variant="ghost" onClick={() => queue.stopAll()}>
                  Stop all
                </Button>
              ) : (
                <Button small variant="ghost" onClick={() => queue.clear()}>
                  Clear the list
                </Button>
              )}
            </span>
          </div>
          <ul aria-label="Uploads">
            {shown.map((upload) => (
              <UploadRow key={upload.id} workspaceId={workspaceId} upload={upload} queue={queue} />
            ))}
          </ul>
          {hidden > 0 && <div className="muted small upload-more">and {plural(hidden, 'more file')}</div>}
        </div>
      )}
    </>
  );
}

const outcomes = { new: 'uploaded', replaced: 'replaced', unchanged: 'unchanged' } as const;

function describe({ state, share, sizeBytes, outcome }: FileUpload): string {
  if (state === 'sent') return outcomes[outcome ?? 'new'];
  if (state === 'waiting') return 'waiting';
  return share === undefined ? formatBytes(sizeBytes) : `${formatBytes(sizeBytes * share)} of ${formatBytes(sizeBytes)}`;
}

function UploadRow({
  workspaceId,
  upload,
  queue,
}: {
  readonly workspaceId: string;
  readonly upload: FileUpload;
  readonly queue: UploadQueue;
}) {
  const { id, path, state, share, error, document } = upload;
  const name = document ? (
    <Link className="truncate" to="/w/$workspaceId/knowledge/$documentId" params={{ workspaceId, documentId: document.id }} dir="auto">
      {path}
    </Link>
  ) : (
    <span className="truncate" dir="auto" title={path}>
      {path}
    </span>
  );
  return (
    <li className="file-row" data-state={state}>
      <span className="row">
        <Icon name="file" />
        {name}
      </span>
      {state === 'refused' ? (
        <span className="file-error">{refusalOf(error)}</span>
      ) : (
        <>
          <Progress
            label={path}
            value={state === 'sending' ? share : state === 'sent' ? 1 : 0}
            {...(state === 'sent' && { tone: 'ok' as const })}
          />
          <span className="muted small num">{describe(upload)}</span>
        </>
      )}
      <span className="row upload-actions">
        {state === 'refused' && <IconButton icon="refresh" label={`Try ${path} again`} small onClick={() => queue.retry(id)} />}
        {state !== 'sent' && (
          <IconButton icon="x" label={state === 'refused' ? `Dismiss ${path}` : `Stop ${path}`} small onClick={() => queue.stop(id)} />
        )}
      </span>
    </li>
  );
}

/** The service's own words; of several, what is wrong with the fields. */
function refusalOf(error: unknown): string {
  if (error instanceof APIError && error.details.length > 0) return error.details.map(({ message }) => message).join('. ');
  return error instanceof Error ? error.message : String(error);
}
