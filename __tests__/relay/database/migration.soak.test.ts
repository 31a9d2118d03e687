import { testKilledMigration } from './migration.ts'

testKilledMigration('a file of the version before is migrated after a kill at any moment', 1)
