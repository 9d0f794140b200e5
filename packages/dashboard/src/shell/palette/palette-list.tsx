import { useEffect, useRef } from 'react';
import { Icon } from '../../design/icon.tsx';
import { optionId, type PaletteGroup, type PaletteItem } from './commands.ts';

interface PaletteListProps {
  readonly groups: readonly PaletteGroup[];
  readonly activeId: string | undefined;
  readonly onPoint: (id: string) => void;
  readonly onChoose: (item: PaletteItem) => void;
}

/** The focus stays in the field; which option is meant, the field says. */
export function PaletteList({ groups, activeId, onPoint, onChoose }: PaletteListProps) {
  if (groups.length === 0)
    return (
      <div className="empty palette-list" id="palette-list" role="listbox" aria-label="Results">
        <div role="option" aria-selected="false" aria-disabled="true" tabIndex={-1}>
          Nothing here by that name.
        </div>
      </div>
    );
  return (
    <div className="palette-list" id="palette-list" role="listbox" aria-label="Results" tabIndex={-1}>
      {groups.map(({ label, items }) => (
        // biome-ignore lint/a11y/useSemanticElements: a fieldset is no part of a list of options
        <div key={label} role="group" aria-label={label}>
          <div className="palette-group" aria-hidden="true">
            {label}
          </div>
          {items.map((item) => (
            <Option key={item.id} item={item} isActive={item.id === activeId} onPoint={onPoint} onChoose={onChoose} />
          ))}
        </div>
      ))}
    </div>
  );
}

interface OptionProps {
  readonly item: PaletteItem;
  readonly isActive: boolean;
  readonly onPoint: (id: string) => void;
  readonly onChoose: (item: PaletteItem) => void;
}

function Option({ item, isActive, onPoint, onChoose }: OptionProps) {
  const option = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (isActive) option.current?.scrollIntoView({ block: 'nearest' });
  }, [isActive]);
  return (
    <button
      ref={option}
      type="button"
      role="option"
      className="palette-item"
      id={optionId(item)}
      aria-selected={isActive}
      tabIndex={-1}
      onPointerMove={() => !isActive && onPoint(item.id)}
      // The field keeps the focus.
      onPointerDown={(event) => event.preventDefault()}
      onClick={() => onChoose(item)}
    >
      <Icon name={item.icon} />
      <span className="truncate" dir="auto">
        {item.label}
      </span>
      <span className="where">
        {item.keys?.map((key) => (
          <kbd key={key} className="kbd">
            {key}
          </kbd>
        )) ?? item.where}
      </span>
    </button>
  );
}
