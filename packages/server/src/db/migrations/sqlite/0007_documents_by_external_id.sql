-- Documents by the caller's own id.
alter table documents add column external_id text;
create unique index documents_by_external_id on documents (workspace_id, external_id) where external_id is not null;

-- What is found of a document until the file that replaces it is indexed. Its chunks and vectors stand under its own id.
create table former_texts (
  workspace_id text not null,
  id text not null,
  document_id text not null,
  title text not null,
  labels text not null,
  chunks_total integer not null,
  revision integer not null,
  primary key (workspace_id, id)
) strict;
create unique index former_texts_by_document on former_texts (workspace_id, document_id);
