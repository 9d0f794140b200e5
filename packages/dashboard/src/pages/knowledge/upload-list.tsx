import { Button } from '../../design/button.tsx';
import { formatCount, plural } from '../../design/numbers.ts';
import type { FileUpload, UploadQueue } from './upload-queue.ts';
import { type UploadActions, UploadRow } from './upload-row.tsx';

/** Of those that wait or are done; what is under way or was refused always shows. */
const MOST_QUIET_ROWS = 4;

interface UploadListProps extends UploadActions {
  readonly workspaceId: string;
  readonly uploads: readonly FileUpload[];
  readonly queue: UploadQueue;
}

export function UploadList({ workspaceId, uploads, queue, onRetry, onReplace }: UploadListProps) {
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
              <UploadRow
                key={upload.id}
                workspaceId={workspaceId}
                upload={upload}
                onStop={(id) => queue.stop(id)}
                onRetry={onRetry}
                onReplace={onReplace}
              />
            ))}
          </ul>
          {hidden > 0 && <div className="muted small upload-more">and {plural(hidden, 'more file')}</div>}
        </div>
      )}
    </>
  );
}
