-- The tokens of a text beside its vector, one code of 48 bytes each; none where the model does not tell them.
alter table vectors add column token_codes blob;
