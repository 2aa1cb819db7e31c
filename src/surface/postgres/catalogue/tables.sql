-- The tables of a Postgres catalogue that clients ask for, with the columns that they read. Those that get no rows are empty here as they
-- would be on a server without such things. A table of `information_schema` has its schema in its name.

CREATE TABLE pg_namespace (oid OID, nspname NAME, nspowner OID, nspacl TEXT);
CREATE TABLE pg_class (
  oid OID PRIMARY KEY, relname NAME, relnamespace OID, reltype OID DEFAULT 0, reloftype OID DEFAULT 0, relowner OID DEFAULT 10, relam OID DEFAULT 2,
  relfilenode OID DEFAULT 0, reltablespace OID DEFAULT 0, relpages INT4 DEFAULT 0, reltuples FLOAT4 DEFAULT -1, relallvisible INT4 DEFAULT 0,
  reltoastrelid OID DEFAULT 0, relhasindex BOOL DEFAULT 0, relisshared BOOL DEFAULT 0, relpersistence CHAR DEFAULT 'p', relkind CHAR DEFAULT 'r',
  relnatts INT2, relchecks INT2 DEFAULT 0, relhasrules BOOL DEFAULT 0, relhastriggers BOOL DEFAULT 0, relhassubclass BOOL DEFAULT 0,
  relrowsecurity BOOL DEFAULT 0, relforcerowsecurity BOOL DEFAULT 0, relispopulated BOOL DEFAULT 1, relreplident CHAR DEFAULT 'n',
  relispartition BOOL DEFAULT 0, relrewrite OID DEFAULT 0, relfrozenxid INT4 DEFAULT 0, relminmxid INT4 DEFAULT 0, relacl TEXT, reloptions TEXT,
  relpartbound TEXT, relhasoids BOOL DEFAULT 0);
CREATE TABLE pg_attribute (
  attrelid OID, attname NAME, atttypid OID, attstattarget INT4 DEFAULT -1, attlen INT2, attnum INT2, attndims INT4 DEFAULT 0,
  attcacheoff INT4 DEFAULT -1, atttypmod INT4 DEFAULT -1, attbyval BOOL DEFAULT 0, attalign CHAR DEFAULT 'i', attstorage CHAR DEFAULT 'p',
  attcompression CHAR DEFAULT '', attnotnull BOOL, atthasdef BOOL DEFAULT 0, atthasmissing BOOL DEFAULT 0, attidentity CHAR DEFAULT '',
  attgenerated CHAR DEFAULT '', attisdropped BOOL DEFAULT 0, attislocal BOOL DEFAULT 1, attinhcount INT4 DEFAULT 0, attcollation OID DEFAULT 0,
  attacl TEXT, attoptions TEXT, attfdwoptions TEXT, attmissingval TEXT, PRIMARY KEY (attrelid, attnum));
CREATE TABLE pg_type (
  oid OID PRIMARY KEY, typname NAME, typnamespace OID DEFAULT 11, typowner OID DEFAULT 10, typlen INT2, typbyval BOOL DEFAULT 0,
  typtype CHAR DEFAULT 'b', typcategory CHAR, typispreferred BOOL DEFAULT 0, typisdefined BOOL DEFAULT 1, typdelim CHAR DEFAULT ',',
  typrelid OID DEFAULT 0, typsubscript TEXT, typelem OID DEFAULT 0, typarray OID DEFAULT 0, typinput TEXT, typoutput TEXT, typreceive TEXT,
  typsend TEXT, typmodin TEXT DEFAULT '-', typmodout TEXT DEFAULT '-', typanalyze TEXT, typalign CHAR DEFAULT 'i', typstorage CHAR DEFAULT 'p',
  typnotnull BOOL DEFAULT 0, typbasetype OID DEFAULT 0, typtypmod INT4 DEFAULT -1, typndims INT4 DEFAULT 0, typcollation OID DEFAULT 0,
  typdefaultbin TEXT, typdefault TEXT, typacl TEXT, formatted TEXT);
INSERT INTO pg_type (oid, typname, typlen, typcategory, typarray, typreceive, formatted) VALUES
  (16, 'bool', 1, 'B', 1000, 'boolrecv', 'boolean'), (17, 'bytea', -1, 'U', 1001, 'bytearecv', 'bytea'),
  (18, 'char', 1, 'Z', 1002, 'charrecv', '"char"'), (19, 'name', 64, 'S', 1003, 'namerecv', 'name'),
  (20, 'int8', 8, 'N', 1016, 'int8recv', 'bigint'), (21, 'int2', 2, 'N', 1005, 'int2recv', 'smallint'),
  (23, 'int4', 4, 'N', 1007, 'int4recv', 'integer'), (25, 'text', -1, 'S', 1009, 'textrecv', 'text'),
  (26, 'oid', 4, 'N', 1028, 'oidrecv', 'oid'), (114, 'json', -1, 'U', 199, 'json_recv', 'json'),
  (700, 'float4', 4, 'N', 1021, 'float4recv', 'real'), (701, 'float8', 8, 'N', 1022, 'float8recv', 'double precision'),
  (705, 'unknown', -2, 'X', 0, 'unknownrecv', 'unknown'), (1042, 'bpchar', -1, 'S', 1014, 'bpcharrecv', 'character'),
  (1043, 'varchar', -1, 'S', 1015, 'varcharrecv', 'character varying'), (1082, 'date', 4, 'D', 1182, 'date_recv', 'date'),
  (1083, 'time', 8, 'D', 1183, 'time_recv', 'time without time zone'),
  (1114, 'timestamp', 8, 'D', 1115, 'timestamp_recv', 'timestamp without time zone'),
  (1184, 'timestamptz', 8, 'D', 1185, 'timestamptz_recv', 'timestamp with time zone'),
  (1186, 'interval', 16, 'T', 1187, 'interval_recv', 'interval'), (1700, 'numeric', -1, 'N', 1231, 'numeric_recv', 'numeric'),
  (2205, 'regclass', 4, 'N', 2210, 'regclassrecv', 'regclass'), (2950, 'uuid', 16, 'U', 2951, 'uuid_recv', 'uuid');
INSERT INTO pg_type (oid, typname, typlen, typcategory, typelem, typreceive, formatted)
  SELECT typarray, '_' || typname, -1, 'A', oid, 'array_recv', formatted || '[]' FROM pg_type WHERE typarray > 0;
UPDATE pg_type SET typinput = replace(typreceive, 'recv', 'in'), typoutput = replace(typreceive, 'recv', 'out'), typsend = replace(typreceive, 'recv', 'send');
CREATE TABLE pg_database (
  oid OID, datname NAME, datdba OID, encoding INT4, datlocprovider CHAR, datcollate TEXT, datctype TEXT, datistemplate BOOL, datallowconn BOOL,
  datconnlimit INT4, datlastsysoid OID, dattablespace OID, daticulocale TEXT, datacl TEXT);
CREATE TABLE pg_roles (
  oid OID, rolname NAME, rolsuper BOOL, rolinherit BOOL, rolcreaterole BOOL, rolcreatedb BOOL, rolcanlogin BOOL, rolreplication BOOL,
  rolbypassrls BOOL, rolconnlimit INT4, rolpassword TEXT, rolvaliduntil TEXT, rolconfig TEXT);
INSERT INTO pg_roles VALUES (10, 'parquote', 0, 1, 0, 0, 1, 0, 0, -1, NULL, NULL, NULL);
CREATE TABLE pg_am (oid OID, amname NAME, amhandler TEXT, amtype CHAR);
INSERT INTO pg_am VALUES (2, 'heap', 'heap_tableam_handler', 't');
CREATE TABLE pg_description (objoid OID, classoid OID, objsubid INT4, description TEXT, PRIMARY KEY (objoid, objsubid));
CREATE TABLE pg_settings (name TEXT, setting TEXT, unit TEXT, category TEXT, short_desc TEXT, context TEXT, vartype TEXT, source TEXT);
INSERT INTO pg_settings (name, setting) VALUES ('server_version_num', '140000'), ('standard_conforming_strings', 'on'), ('max_index_keys', '32');
CREATE TABLE pg_tablespace (oid OID, spcname NAME, spcowner OID, spcacl TEXT, spcoptions TEXT);
CREATE TABLE pg_collation (oid OID, collname NAME, collnamespace OID, collprovider CHAR, collcollate TEXT, collctype TEXT);
CREATE TABLE pg_attrdef (oid OID, adrelid OID, adnum INT2, adbin TEXT);
CREATE TABLE pg_index (
  indexrelid OID, indrelid OID, indnatts INT2, indnkeyatts INT2, indisunique BOOL, indisprimary BOOL, indisexclusion BOOL, indimmediate BOOL,
  indisclustered BOOL, indisvalid BOOL, indisready BOOL, indislive BOOL, indisreplident BOOL, indkey TEXT, indcollation TEXT, indclass TEXT,
  indoption TEXT, indexprs TEXT, indpred TEXT);
CREATE TABLE pg_constraint (
  oid OID, conname NAME, connamespace OID, contype CHAR, condeferrable BOOL, condeferred BOOL, convalidated BOOL, conrelid OID, contypid OID,
  conindid OID, conparentid OID, confrelid OID, confupdtype CHAR, confdeltype CHAR, confmatchtype CHAR, conislocal BOOL, coninhcount INT4,
  connoinherit BOOL, conkey TEXT, confkey TEXT, conpfeqop TEXT, conppeqop TEXT, conffeqop TEXT, conexclop TEXT, conbin TEXT, consrc TEXT);
CREATE TABLE pg_inherits (inhrelid OID, inhparent OID, inhseqno INT4, inhdetachpending BOOL);
CREATE TABLE pg_trigger (
  oid OID, tgrelid OID, tgparentid OID, tgname NAME, tgfoid OID, tgtype INT2, tgenabled CHAR, tgisinternal BOOL, tgconstrrelid OID,
  tgconstrindid OID, tgconstraint OID, tgdeferrable BOOL, tginitdeferred BOOL, tgnargs INT2, tgattr TEXT, tgargs TEXT, tgqual TEXT);
CREATE TABLE pg_rewrite (oid OID, rulename NAME, ev_class OID, ev_type CHAR, ev_enabled CHAR, is_instead BOOL, ev_qual TEXT, ev_action TEXT);
CREATE TABLE pg_proc (
  oid OID, proname NAME, pronamespace OID, proowner OID, prolang OID, prokind CHAR, prosecdef BOOL, proleakproof BOOL, proisstrict BOOL,
  proretset BOOL, provolatile CHAR, proparallel CHAR, pronargs INT2, prorettype OID, proargtypes TEXT, proallargtypes TEXT, proargmodes TEXT,
  proargnames TEXT, prosrc TEXT, proacl TEXT);
CREATE TABLE pg_enum (oid OID, enumtypid OID, enumsortorder FLOAT4, enumlabel NAME);
CREATE TABLE pg_range (rngtypid OID, rngsubtype OID, rngmultitypid OID, rngcollation OID, rngsubopc OID);
CREATE TABLE pg_extension (oid OID, extname NAME, extowner OID, extnamespace OID, extrelocatable BOOL, extversion TEXT, extconfig TEXT);
CREATE TABLE pg_language (oid OID, lanname NAME, lanowner OID, lanispl BOOL, lanpltrusted BOOL, lanacl TEXT);
CREATE TABLE pg_depend (classid OID, objid OID, objsubid INT4, refclassid OID, refobjid OID, refobjsubid INT4, deptype CHAR);
CREATE TABLE pg_policy (
  oid OID, polname NAME, polrelid OID, polcmd CHAR, polpermissive BOOL, polroles TEXT, polqual TEXT, polwithcheck TEXT);
CREATE TABLE pg_foreign_table (ftrelid OID, ftserver OID, ftoptions TEXT);
CREATE TABLE pg_foreign_server (oid OID, srvname NAME, srvowner OID, srvfdw OID, srvtype TEXT, srvversion TEXT, srvacl TEXT, srvoptions TEXT);
CREATE TABLE pg_partitioned_table (partrelid OID, partstrat CHAR, partnatts INT2, partdefid OID, partattrs TEXT);
CREATE TABLE pg_sequence (seqrelid OID, seqtypid OID, seqstart INT8, seqincrement INT8, seqmax INT8, seqmin INT8, seqcache INT8, seqcycle BOOL);
CREATE TABLE pg_shdescription (objoid OID, classoid OID, description TEXT);
CREATE TABLE pg_publication (oid OID, pubname NAME, pubowner OID, puballtables BOOL, pubinsert BOOL, pubupdate BOOL, pubdelete BOOL, pubtruncate BOOL, pubviaroot BOOL);
CREATE TABLE pg_publication_rel (oid OID, prpubid OID, prrelid OID, prqual TEXT, prattrs TEXT);
CREATE TABLE pg_stat_activity (datid OID, datname NAME, pid INT4, usename NAME, application_name TEXT, state TEXT, query TEXT);
CREATE TABLE pg_stat_user_tables (relid OID, schemaname NAME, relname NAME, seq_scan INT8, n_live_tup INT8, n_dead_tup INT8);
CREATE TABLE pg_matviews (schemaname NAME, matviewname NAME, matviewowner NAME, ispopulated BOOL, definition TEXT);
CREATE TABLE pg_views (schemaname NAME, viewname NAME, viewowner NAME, definition TEXT);
CREATE TABLE pg_indexes (schemaname NAME, tablename NAME, indexname NAME, tablespace NAME, indexdef TEXT);

CREATE VIEW pg_user AS SELECT rolname AS usename, oid AS usesysid, rolsuper AS usesuper FROM pg_roles;
CREATE VIEW pg_tables AS
  SELECT n.nspname AS schemaname, c.relname AS tablename, 'parquote' AS tableowner, NULL AS tablespace, 0 AS hasindexes, 0 AS hasrules,
         0 AS hastriggers, 0 AS rowsecurity
  FROM   pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace;
CREATE VIEW "information_schema.schemata" AS
  SELECT current_database() AS catalog_name, nspname AS schema_name, 'parquote' AS schema_owner FROM pg_namespace;
CREATE VIEW "information_schema.tables" AS
  SELECT current_database() AS table_catalog, n.nspname AS table_schema, c.relname AS table_name, 'BASE TABLE' AS table_type,
         'NO' AS is_insertable_into, 'NO' AS is_typed
  FROM   pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace;
CREATE VIEW "information_schema.columns" AS
  SELECT current_database() AS table_catalog, n.nspname AS table_schema, c.relname AS table_name, a.attname AS column_name,
         a.attnum AS ordinal_position, NULL AS column_default, CASE WHEN a.attnotnull THEN 'NO' ELSE 'YES' END AS is_nullable,
         CASE WHEN t.typcategory = 'A' THEN 'ARRAY' ELSE t.formatted END AS data_type, NULL AS character_maximum_length,
         CASE t.typname WHEN 'int8' THEN 64 WHEN 'float8' THEN 53 END AS numeric_precision, NULL AS numeric_scale,
         CASE t.typname WHEN 'date' THEN 0 END AS datetime_precision, 'pg_catalog' AS udt_schema, t.typname AS udt_name,
         'NO' AS is_identity, 'NEVER' AS is_generated, 'NO' AS is_updatable
  FROM   pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
         JOIN pg_attribute a ON a.attrelid = c.oid
         JOIN pg_type t ON t.oid = a.atttypid;
CREATE TABLE "information_schema.views" (table_catalog NAME, table_schema NAME, table_name NAME, view_definition TEXT, is_updatable TEXT);
CREATE TABLE "information_schema.table_constraints" (
  constraint_catalog NAME, constraint_schema NAME, constraint_name NAME, table_catalog NAME, table_schema NAME, table_name NAME,
  constraint_type TEXT, is_deferrable TEXT, initially_deferred TEXT, enforced TEXT);
CREATE TABLE "information_schema.key_column_usage" (
  constraint_catalog NAME, constraint_schema NAME, constraint_name NAME, table_catalog NAME, table_schema NAME, table_name NAME,
  column_name NAME, ordinal_position INT4, position_in_unique_constraint INT4);
CREATE TABLE "information_schema.referential_constraints" (
  constraint_catalog NAME, constraint_schema NAME, constraint_name NAME, unique_constraint_catalog NAME, unique_constraint_schema NAME,
  unique_constraint_name NAME, match_option TEXT, update_rule TEXT, delete_rule TEXT);
CREATE TABLE "information_schema.routines" (specific_name NAME, routine_catalog NAME, routine_schema NAME, routine_name NAME, routine_type TEXT, data_type TEXT);
CREATE TABLE "information_schema.sequences" (sequence_catalog NAME, sequence_schema NAME, sequence_name NAME, data_type TEXT);
