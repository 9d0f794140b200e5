import { APIError } from '@commonplace/client';
import { Link } from '@tanstack/react-router';
import { Button, IconButton } from '../../design/button.tsx';
import { Progress } from '../../design/feedback.tsx';
import { Icon } from '../../design/icon.tsx';
import { formatBytes } from '../../design/numbers.ts';
import { FileButton } from './file-button.tsx';
import { isAboutFile } from './hopeless.ts';
import type { FileUpload } from './upload-queue.ts';

export interface UploadActions {
  readonly onRetry: (id: number) => void;
  readonly onReplace: (id: number, file: File) => void;
}

interface UploadRowProps extends UploadActions {
  readonly workspaceId: string;
  readonly upload: FileUpload;
  readonly onStop: (id: number) => void;
}

const outcomes = { new: 'uploaded', replaced: 'replaced', unchanged: 'unchanged' } as const;

function describe({ state, share, sizeBytes, outcome }: FileUpload): string {
  if (state === 'sent') return outcomes[outcome ?? 'new'];
  if (state === 'waiting') return 'waiting';
  return share === undefined ? formatBytes(sizeBytes) : `${formatBytes(sizeBytes * share)} of ${formatBytes(sizeBytes)}`;
}

export function UploadRow({ workspaceId, upload, onStop, onRetry, onReplace }: UploadRowProps) {
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
        {state === 'refused' && (
          <>
            {isAboutFile(error) ? (
              <FileButton name={path} onFile={(file) => onReplace(id, file)} />
            ) : (
              <Button small icon="refresh" aria-label={`Retry ${path}`} onClick={() => onRetry(id)}>
                Retry
              </Button>
            )}
            <Button small variant="ghost" aria-label={`Remove ${path}`} onClick={() => onStop(id)}>
              Remove
            </Button>
          </>
        )}
        {(state === 'waiting' || state === 'sending') && <IconButton icon="x" label={`Stop ${path}`} small onClick={() => onStop(id)} />}
      </span>
    </li>
  );
}

/** The service's own words; of several, what is wrong with the fields. */
function refusalOf(error: unknown): string {
  if (error instanceof APIError && error.details.length > 0) return error.details.map(({ message }) => message).join('. ');
  return error instanceof Error ? error.message : String(error);
}
