import type { Document } from '@commonplace/client';
import { Link } from '@tanstack/react-router';
import { IconButton } from '../../design/button.tsx';
import { Menu, MenuItem, MenuSeparator } from '../../design/menu.tsx';
import { formatBytes } from '../../design/numbers.ts';
import { Time } from '../../design/time.tsx';
import { DocumentStatus, describeChunks } from '../document/document-status.tsx';
import { FailureDetail } from './failure-detail.tsx';
import { hasNoText } from './hopeless.ts';

const MOST_LABELS = 1;
export const DOCUMENT_COLUMNS = 6;

export interface RowActions {
  readonly onReindex: (document: Document) => void;
  readonly onReplace: (document: Document, file: File) => void;
  readonly onDelete: (document: Document) => void;
  readonly onLabel: (label: string) => void;
}

interface DocumentRowProps extends RowActions {
  readonly workspaceId: string;
  readonly document: Document;
  /** Undefined where rows can't be chosen. */
  readonly chosen: boolean | undefined;
  readonly onChoose: () => void;
}

export function DocumentRow({ workspaceId, document, chosen, onChoose, onReindex, onReplace, onDelete, onLabel }: DocumentRowProps) {
  const { id, title, filename, labels, size, updatedAt, status, error } = document;
  const canChange = chosen !== undefined;
  return (
    <>
      <tr className={error ? 'has-detail' : undefined} aria-selected={chosen ? true : undefined}>
        <td className="doc-cell">
          <span className="row">
            {canChange && (
              <label className="check">
                <input type="checkbox" checked={chosen} onChange={onChoose} data-id={id} />
                <span className="sr-only">Choose {title}</span>
              </label>
            )}
            <span className="grow doc-name">
              <Link
                className="title clamp-2"
                data-stop
                to="/w/$workspaceId/knowledge/$documentId"
                params={{ workspaceId, documentId: id }}
                dir="auto"
              >
                {title}
              </Link>
              <span className="muted small mono truncate" dir="auto" title={filename}>
                {filename}
              </span>
            </span>
          </span>
        </td>
        <td className="hide-phone">
          <span className="row doc-labels">
            {labels.slice(0, MOST_LABELS).map((label) => (
              <button
                key={label}
                type="button"
                className="label-chip"
                title={`Only documents with ${label}`}
                onClick={() => onLabel(label)}
              >
                <span className="truncate">{label}</span>
              </button>
            ))}
            {labels.length > MOST_LABELS && (
              <span className="label-chip" title={labels.slice(MOST_LABELS, 30).join(', ')}>
                +{labels.length - MOST_LABELS}
              </span>
            )}
          </span>
        </td>
        <td className="end nowrap">{formatBytes(size.value)}</td>
        <td className="end nowrap">
          {describeChunks(document)}
          <span className="phone-only"> {document.chunksTotal === 1 ? 'chunk' : 'chunks'}</span>
        </td>
        <td>
          <DocumentStatus document={document} />
        </td>
        <td className="end nowrap">
          <span className="row doc-end">
            <Time at={updatedAt} />
            {canChange && (
              <Menu trigger={<IconButton icon="more" label={`Actions for ${title}`} small />}>
                <MenuItem icon="refresh" disabled={status === 'processing' || hasNoText(document)} onSelect={() => onReindex(document)}>
                  Index again
                </MenuItem>
                <MenuSeparator />
                <MenuItem icon="trash" danger onSelect={() => onDelete(document)}>
                  Delete document
                </MenuItem>
              </Menu>
            )}
          </span>
        </td>
      </tr>
      {error && (
        <tr className="detail">
          <td colSpan={DOCUMENT_COLUMNS}>
            <FailureDetail document={document} canChange={canChange} onReindex={onReindex} onReplace={onReplace} onDelete={onDelete} />
          </td>
        </tr>
      )}
    </>
  );
}
