import { testKilledBot } from './kill-with-store.ts'

testKilledBot({ mainStride: 1, postStride: 1 })
