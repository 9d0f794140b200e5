import { useRef, useState, useSyncExternalStore } from 'react';
import { Button } from '../../design/button.tsx';
import { Checkbox, TextField } from '../../design/field.tsx';
import { Icon } from '../../design/icon.tsx';
import { plural } from '../../design/numbers.ts';
import { showToast } from '../../design/toast.tsx';
import { useShortcuts } from '../../shell/shortcuts.ts';
import { chosenFiles, droppedFiles, type GatheredFiles } from './dropped-files.ts';
import { labelsIn } from './labels.ts';
import { UploadList } from './upload-list.tsx';
import { uploadQueueOf } from './upload-queue.ts';
import { useDrop } from './use-drop.ts';

/** Makes the input choose a folder; React knows no property for it. */
const asFolder = { webkitdirectory: '' };

export function UploadPanel({ workspaceId }: { readonly workspaceId: string }) {
  const queue = uploadQueueOf(workspaceId);
  const uploads = useSyncExternalStore(queue.subscribe, queue.uploads);
  const [labels, setLabels] = useState('');
  const [replaces, setReplaces] = useState(true);
  const files = useRef<HTMLInputElement>(null);
  const folder = useRef<HTMLInputElement>(null);
  const settings = () => ({ labels: labelsIn(labels), replaces });
  const upload = ({ files: gathered, leftOut }: GatheredFiles) => {
    queue.add(gathered, settings());
    if (leftOut > 0)
      showToast(`${plural(leftOut, 'file')} left out`, { note: 'Of a folder, .md and .txt files are taken, hidden ones not.' });
  };
  const over = useDrop(true, (data) => void droppedFiles(data).then(upload));
  const chooseFiles = () => files.current?.click();
  useShortcuts({ C: chooseFiles });
  return (
    <section aria-label="Upload" className="upload-panel">
      <div className="drop" data-over={over || undefined}>
        <Icon name="upload" />
        <div className="grow">
          <div className="drop-title">{over ? 'Drop to upload' : 'Drop files or folders anywhere on this page'}</div>
          <div className="muted small">.md or .txt in UTF-8, at most 2 MB each</div>
        </div>
        <div className="row wrap">
          <Button onClick={() => folder.current?.click()}>Choose a folder</Button>
          <Button variant="primary" icon="upload" onClick={chooseFiles}>
            Choose files
          </Button>
        </div>
        <div className="upload-settings">
          <TextField
            label="Labels for these files"
            hideLabel
            placeholder="Labels: topic=prices"
            value={labels}
            onChange={(event) => setLabels(event.target.value)}
            autoComplete="off"
            spellCheck={false}
          />
          <Checkbox
            label={<span title="The path of the file becomes its externalId">Replace files of the same name</span>}
            checked={replaces}
            onChange={(event) => setReplaces(event.target.checked)}
          />
        </div>
        <input
          ref={files}
          type="file"
          className="sr-only"
          aria-label="Files to upload"
          tabIndex={-1}
          multiple
          accept=".md,.txt"
          onChange={({ target }) => {
            upload(chosenFiles(target.files ?? []));
            target.value = '';
          }}
        />
        <input
          ref={folder}
          type="file"
          className="sr-only"
          aria-label="Folder to upload"
          tabIndex={-1}
          multiple
          {...asFolder}
          onChange={({ target }) => {
            upload(chosenFiles(target.files ?? []));
            target.value = '';
          }}
        />
      </div>
      <UploadList
        workspaceId={workspaceId}
        uploads={uploads}
        queue={queue}
        onRetry={(id) => queue.retry(id, settings())}
        onReplace={(id, file) => queue.replace(id, file, settings())}
      />
    </section>
  );
}
