import type { Document } from '@commonplace/client';
import { Button } from '../../design/button.tsx';
import { Icon } from '../../design/icon.tsx';
import { FileButton } from './file-button.tsx';
import { asSentence, hasNoText } from './hopeless.ts';

interface FailureDetailProps {
  readonly document: Document;
  readonly canChange: boolean;
  readonly onReindex: (document: Document) => void;
  readonly onReplace: (document: Document, file: File) => void;
  readonly onDelete: (document: Document) => void;
}

/** Why it is not found, or not wholly, and what to do about it. */
export function FailureDetail({ document, canChange, onReindex, onReplace, onDelete }: FailureDetailProps) {
  const { status, error, title, externalId } = document;
  return (
    <div className={status === 'failed' ? 'notice danger' : 'notice warn'}>
      <Icon name="alert" />
      <div className="grow stack tight">
        <div>
          <strong>{asSentence(error)}</strong> {adviceFor(document)}
        </div>
        {canChange && status !== 'processing' && (
          <div className="row wrap">
            {!hasNoText(document) && (
              <Button small icon="refresh" onClick={() => onReindex(document)}>
                Retry indexing
              </Button>
            )}
            {hasNoText(document) && externalId !== undefined && <FileButton name={title} onFile={(file) => onReplace(document, file)} />}
            <Button small variant="danger" icon="trash" onClick={() => onDelete(document)}>
              Delete document
            </Button>
          </div>
        )}
      </div>
    </div>
  );
}

function adviceFor(document: Document): string {
  const { status, externalId } = document;
  if (status === 'processing') return 'It is tried again by itself.';
  if (status === 'indexed') return 'Retry embeds what is missing.';
  if (!hasNoText(document)) return 'Retry cuts and indexes it from the beginning.';
  const same = 'Trying the same file again can’t help.';
  return externalId === undefined ? `${same} Upload one that has text, and delete this one.` : `${same} Replace it with one that has text.`;
}
