# What the services have recorded stays in /var/lib/drivelab, and with it the user whom it belongs to.
if [ -d /run/systemd/system ]; then
    systemctl daemon-reload || :
fi
# rpm removes the files, and the folders of which the package says that they are its own; cargo-generate-rpm says that of none.
if [ "$1" = 0 ]; then
    for folder in \
        /usr/share/doc/drivelab/docs/reference /usr/share/doc/drivelab/docs /usr/share/doc/drivelab/monitoring \
        /usr/share/doc/drivelab/packaging/kubernetes /usr/share/doc/drivelab/packaging/slurm \
        /usr/share/doc/drivelab/packaging/systemd /usr/share/doc/drivelab/packaging /usr/share/doc/drivelab \
        /usr/share/drivelab/sql /usr/share/drivelab /etc/drivelab; do
        rmdir "$folder" 2>/dev/null || :
    done
fi
