package com.example.importer;

import java.io.File;
import java.io.IOException;

/** Says that an import is under way, by a file beside the data. */
public final class Mark {
    private final File file;

    public Mark(File folder) {
        file = new File(folder, "import.running");
    }

    public void set() throws IOException {
        file.createNewFile();
    }

    public boolean isSet() {
        return file.exists();
    }
}
